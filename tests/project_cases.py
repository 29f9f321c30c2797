"""Projects whose modules import a function in some way: their files, and what becomes of the function ``run``."""

from __future__ import annotations

import textwrap

OPS = """
    import numpy as np

    SIGMA = 1.5
    TABLE = np.linspace(0.0, 1.0, 4)


    def blur(x):
        return np.exp(x) / SIGMA


    def shift(x):
        x += np.tanh(x)


    def both(x, y, scale=2.0):
        x *= scale
        y[1:] = x[:-1]
        return x.sum(), np.sqrt(x * x)


    def same(x):
        return x


    def table():
        return TABLE


    def pick(x, i):
        return np.cos(x)[i]
"""
USER = """
    import numpy as np
    {imports}


    def run(x):
        y = np.sqrt(x + 1.0)
        return {call}(y) + y.sum()


    def main():
        return run(np.arange(4.0))
"""

TRY = "try:\n        from ops import blur\n    except ImportError:\n        from slow import blur"
STARS = "from ops import *\n    from ops import blur"
DECORATED = OPS.replace("def blur", "def traced(f):\n        return lambda x: f(x) + 1\n\n\n    @traced\n    def blur")

#: name -> (files, what becomes of ``run``: "core" where it calls its callee's core)
IMPORTS: dict[str, tuple[dict[str, str], str]] = {
    "from import": (
        {"ops.py": OPS, "user.py": USER.format(imports="from ops import blur", call="blur")},
        "core",
    ),
    "renamed": (
        {"ops.py": OPS, "user.py": USER.format(imports="from ops import blur as soften", call="soften")},
        "core",
    ),
    "module": ({"ops.py": OPS, "user.py": USER.format(imports="import ops", call="ops.blur")}, "core"),
    "module renamed": ({"ops.py": OPS, "user.py": USER.format(imports="import ops as o", call="o.blur")}, "core"),
    "star": ({"ops.py": OPS, "user.py": USER.format(imports="from ops import *", call="blur")}, "core"),
    "star through all": (
        {
            "ops.py": OPS + "\n    __all__ = ['shift', 'pick']\n",
            "user.py": USER.format(imports=STARS, call="blur"),
        },
        "core",
    ),
    "relative": (
        {
            "pkg/__init__.py": "",
            "pkg/ops.py": OPS,
            "pkg/work.py": USER.format(imports="from .ops import blur", call="blur"),
            "user.py": "from pkg.work import main, run\n",
        },
        "core",
    ),
    "parent": (
        {
            "pkg/__init__.py": "",
            "pkg/ops.py": OPS,
            "pkg/sub/__init__.py": "",
            "pkg/sub/work.py": USER.format(imports="from .. import ops", call="ops.blur"),
            "user.py": "from pkg.sub.work import main, run\n",
        },
        "core",
    ),
    "reexported": (
        {
            "pkg/__init__.py": "from .ops import blur\n",
            "pkg/ops.py": OPS,
            "user.py": USER.format(imports="from pkg import blur", call="blur"),
        },
        "core",
    ),
    "reexported twice": (
        {
            "pkg/__init__.py": "from .api import *\n",
            "pkg/api.py": "from .ops import blur, shift\n\n__all__ = ['blur']\n",
            "pkg/ops.py": OPS,
            "user.py": USER.format(imports="import pkg", call="pkg.blur"),
        },
        "core",
    ),
    "submodule": (
        {
            "pkg/__init__.py": "from . import ops\n",
            "pkg/ops.py": OPS,
            "user.py": USER.format(imports="import pkg.ops", call="pkg.ops.blur"),
        },
        "core",
    ),
    "namespace package": (
        {"space/part/ops.py": OPS, "user.py": USER.format(imports="from space.part.ops import blur", call="blur")},
        "core",
    ),
    "local import": (
        {
            "ops.py": OPS,
            "user.py": """
                import numpy as np


                def run(x):
                    from ops import blur

                    y = np.sqrt(x + 1.0)
                    return blur(y) + y


                def main():
                    return run(np.arange(4.0))
            """,
        },
        "core",
    ),
    "conditional import": (
        {
            "ops.py": OPS,
            "slow.py": OPS.replace("/ SIGMA", "/ 2"),
            "user.py": USER.format(
                imports="try:\n        from ops import blur\n    except ImportError:\n        from slow import blur",
                call="blur",
            ),
        },
        "convertible",
    ),
    "submodule of the same name": (
        {
            "pkg/__init__.py": "from .blur import blur\n",
            "pkg/blur.py": OPS,
            "user.py": USER.format(imports="from pkg import blur", call="blur"),
        },
        "core",
    ),
    "from a submodule that a function hides": (
        {
            "pkg/__init__.py": "from .blur import blur\n",
            "pkg/blur.py": OPS,
            "user.py": USER.format(imports="from pkg.blur import blur", call="blur"),
        },
        "core",
    ),
    "submodule of the name of another one's function": (
        {
            "pkg/__init__.py": "from .ops import blur\n",
            "pkg/ops.py": OPS,
            "pkg/blur.py": "",
            "user.py": USER.format(imports="from pkg import blur", call="blur"),
        },
        "convertible",
    ),
    "gives back what was updated": (
        {
            "ops.py": """
    import numpy as np


    def as_array(a, dtype=None):
        if isinstance(a, list):
            a = list(a)
        return np.asarray(a, dtype)


    def given(a):
        return as_array(a)
    """,
            "user.py": """
    import numpy as np

    from ops import given


    def run(x, how):
        x = given(x)
        if how == "square":
            x[0] += 2.0
        return np.exp(x)


    def twice(x):
        return run(np.stack([x, x]), "square")


    def main():
        x = np.ones(3)
        return run(x, "square"), x, run([1.0, 2.0], "none"), twice(x), x
    """,
        },
        "hosted",
    ),
    "defined twice": (
        {
            "ops.py": OPS + "\n\n    def blur(x):\n        return np.exp(x) * 3\n",
            "user.py": USER.format(imports="from ops import blur", call="blur"),
        },
        "convertible",
    ),
    "patched": (
        {
            "ops.py": OPS,
            "user.py": USER.format(imports="import ops", call="ops.blur") + "\n\n    ops.blur = lambda x: x * 7\n",
        },
        "convertible",
    ),
    "decorated": (
        {
            "ops.py": "def traced(f):\n    return lambda x: f(x) + 1\n\n"
            + textwrap.dedent(OPS).replace("def blur", "@traced\ndef blur"),
            "user.py": USER.format(imports="from ops import blur", call="blur"),
        },
        "convertible",
    ),
    "operators of a class in an imported module": (
        {
            "systems.py": """
                import numpy as np


                class Gain:
                    __array_priority__ = 10

                    def __init__(self, value):
                        self.value = value

                    def doubled(self):
                        return Gain(2 * self.value)

                    def __mul__(self, other):
                        return Gain(self.value * len(other)) if isinstance(other, np.ndarray) else NotImplemented

                    __rmul__ = __mul__
            """,
            "user.py": """
                import numpy as np
                import systems


                def run(system, x):
                    y = np.zeros((2, 2))
                    y[0, 0] = np.exp(1.0)
                    return y * system.doubled() * np.sqrt(x)


                def main():
                    return np.asarray(run(systems.Gain(3.0), np.ones(4)).value)
            """,
        },
        "",
    ),
    "an object of an imported class that updates an array when an operator or index asks it": (
        {
            "watching.py": """
                class Watch:
                    def __init__(self, owner):
                        self.owner = owner

                    def __add__(self, other):
                        self.owner.w += other
                        return 1.0

                    def __getitem__(self, index):
                        self.owner.w *= 2.0
                        return 1.0
            """,
            "user.py": """
                import numpy as np
                from watching import Watch


                class Model:
                    def __init__(self, w):
                        self.w = w
                        self.watch = Watch(self)

                    def run(self, x):
                        y = np.exp(x)
                        self.w = y
                        self.watch + 1
                        self.watch[0]
                        return y / 2


                def main():
                    return Model(None).run(np.arange(4.0))
            """,
        },
        "",
    ),
}
