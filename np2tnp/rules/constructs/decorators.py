"""TNP405: decorators that may look at arrays."""

from __future__ import annotations

from collections.abc import Iterator

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.syntax.python_tables import COMPILES, DOCSTRING_DECORATORS, MARKS, TRANSPARENT_DECORATORS
from np2tnp.model import Safety, Verdict
from np2tnp.rules.base import Context, Doc, Hit, Rule, register
from np2tnp.rules.host.native_code import is_native


def is_opaque(name: str) -> bool:
    """Whether a decorator of this canonical name may change what calling the function means."""
    known = (
        name in TRANSPARENT_DECORATORS
        or name in DOCSTRING_DECORATORS
        or name.startswith(MARKS)
        or name.rpartition(".")[2] in ("setter", "getter", "deleter")
    )
    return not known and not is_native(name)


#: What they decorate belongs to the tests, whatever the file is called.
_OF_TESTS = ("pytest.fixture", "pytest_asyncio.fixture")
#: What a project calls a decorator that is numba's where numba is there.
_COMPILERS = ("jit", "njit", "guvectorize")


@register
class Decorator(Rule):
    doc = Doc(
        code="TNP405",
        name="decorator",
        summary="A decorator that is not known to leave arguments and results alone.",
        why="It may look at the function's code, arguments or result, as many do.",
        does=(
            "Leaves the whole function in NumPy. property, staticmethod, classmethod, lru_cache, wraps, pytest.mark and"
            " the like are no obstacle, nor is a decorator of the project (a function, a class, an object such as"
            " `REGISTRY.register('name')`) that only calls, keeps or returns the function, or asks for its signature:"
            " it gets the migrated function with its NumPy interface. `--unsafe` takes those that"
            " cannot be seen for such."
        ),
        bad="""
            from somewhere import traced


            @traced
            def f(x):
                return np.exp(x)
        """,
        good="""
            def f(x):
                return np.exp(x)
        """,
    )
    on = (ev.Kind.DECORATOR, ev.Kind.UNSEEN_DECORATOR, ev.Kind.NESTED_DECORATOR)

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        assert isinstance(event, ev.Construct)
        name = event.detail
        if not context.in_region or is_native(name):
            return
        if event.kind != ev.Kind.NESTED_DECORATOR:
            if is_opaque(name):
                whose = f"the decorator {name.lstrip('.') or 'here'}"
                remedy = "put the array work into a function without it"
                does = context.facts.seen.decorators.get(name, "")
                if does == COMPILES or name.rpartition(".")[2] in _COMPILERS:
                    does = does or "seems to compile it to native code"
                    words = f"{whose} {does}: best left as it is"
                    yield Hit(self.code, event.node, words, Verdict.BLOCK, left="native")
                elif name in _OF_TESTS:
                    words = f"{whose} makes it a part of the tests, which are the reference: best left as it is"
                    yield Hit(self.code, event.node, words, Verdict.BLOCK, left="test")
                elif event.kind == ev.Kind.DECORATOR:
                    does = does or "may do more with the function than call it with what it was given"
                    yield self.hit(event.node, f"{whose} {does}: {remedy}", Verdict.BLOCK)
                else:
                    does = does or "comes from outside of the project, and may look at arguments or results"
                    verdict = Verdict.HOST if context.trusts else Verdict.BLOCK
                    yield self.hit(event.node, f"{whose} {does}: {remedy}", verdict, Safety.UNSAFE)
        elif name not in ("builtins.staticmethod", "functools.wraps"):
            words = (
                f"the decorator {name or 'here'} of a nested function may look at arrays: define that function outside"
            )
            yield self.hit(event.node, words, Verdict.BLOCK)
