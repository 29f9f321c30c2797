"""Projects whose functions and methods call those of other modules: files, and what becomes of ``run``."""

from __future__ import annotations

from project_cases import OPS

CALLS: dict[str, tuple[dict[str, str], str]] = {
    "cycle": (
        {
            "a.py": """
                import numpy as np
                import user


                def half(x, n):
                    y = np.exp(x) / 2
                    return y if n == 0 else user.run(y, n - 1)
            """,
            "user.py": """
                import numpy as np
                import a


                def run(x, n=3):
                    y = np.log(x + 1.0)
                    z = a.half(y, n)
                    return z


                def main():
                    return run(np.arange(4.0))
            """,
        },
        "convertible",
    ),
    "updates": (
        {
            "ops.py": OPS,
            "user.py": """
                import numpy as np
                from ops import both, shift


                def run(x):
                    y = np.sqrt(x + 1.0)
                    z = np.zeros_like(y)
                    shift(y)
                    total, root = both(y, z, scale=3.0)
                    return y, z, total, root


                def main():
                    return run(np.arange(4.0))
            """,
        },
        "core",
    ),
    "gives back what it got": (
        {
            "ops.py": OPS,
            "user.py": """
                import numpy as np
                from ops import both, same, shift


                def run(x):
                    y = np.sqrt(x + 1.0)
                    z = np.zeros_like(y)
                    shift(y)
                    total, root = both(y, z, scale=3.0)
                    return y, z, total, root, same(y)


                def main():
                    return run(np.arange(4.0))
            """,
        },
        "convertible",  # where ops.py stays NumPy, a core would get, and give back, a copy
    ),
    "updates an argument": (
        {
            "ops.py": OPS,
            "user.py": """
                import numpy as np
                import ops


                def run(x):
                    ops.shift(x)
                    return np.sqrt(x)


                def main():
                    x = np.arange(4.0)
                    return run(x), x
            """,
        },
        "core",
    ),
    "constants": (
        {
            "ops.py": OPS,
            "user.py": """
                import numpy as np
                import ops
                from ops import SIGMA, TABLE


                def run(x):
                    y = np.sqrt(x + 1.0) * SIGMA + ops.SIGMA
                    y += TABLE
                    return y * ops.TABLE, ops.table() + ops.pick(y, 2)


                def main():
                    return run(np.arange(4.0))
            """,
        },
        "core",
    ),
    "inherited method": (
        {
            "base.py": """
                import numpy as np


                class Layer:
                    def __init__(self, w):
                        self.w = w

                    def activate(self, x):
                        return np.tanh(x)

                    @staticmethod
                    def twice(x):
                        return np.add(x, x)
            """,
            "user.py": """
                import numpy as np
                from base import Layer


                class Dense(Layer):
                    def forward(self, x):
                        return self.activate(x @ self.w) + self.twice(x)


                def run(x):
                    y = np.sqrt(x + 1.0)
                    return Dense(np.eye(4)).forward(y) + y


                def main():
                    return run(np.arange(4.0)), Dense(np.ones((4, 4))).forward(np.arange(4.0))
            """,
        },
        "core",
    ),
    "overridden method that updates": (
        {
            "base.py": """
                import numpy as np


                class Model:
                    def step(self, x):
                        return np.tanh(x)

                    def run(self, x):
                        y = np.sqrt(x)
                        z = self.step(y)
                        return y + z
            """,
            "user.py": """
                import numpy as np
                from base import Model


                class Careful(Model):
                    def step(self, x):
                        return np.exp(x)


                def run(x):
                    return Careful().run(np.sqrt(x)) + Model().run(x)


                def main():
                    return run(np.arange(4.0))
            """,
        },
        "core",
    ),
}
