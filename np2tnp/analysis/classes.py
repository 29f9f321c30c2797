"""What users of a class must know of it, what it inherits included."""

from __future__ import annotations

import libcst as cst

from np2tnp.analysis.domain.summaries import ClassSummary
from np2tnp.analysis.domain.values import UNKNOWN, Class, Function, Symbol, Value
from np2tnp.analysis.interpreter.state import Services
from np2tnp.analysis.module.contents import ModuleInfo
from np2tnp.analysis.module.effects_by_name import Changers
from np2tnp.analysis.module.subclasses import ARRAYS
from np2tnp.analysis.syntax.python_tables import NAMEDTUPLE
from np2tnp.analysis.syntax.scopes import dotted

#: Base classes from outside that bring no methods which calls could mean.
_PLAIN_BASES = ("builtins.object", "abc.ABC", "typing.Generic", "typing.Protocol", "typing.NamedTuple")


_PLAIN_SYMBOLS = frozenset(map(Symbol, _PLAIN_BASES[:4]))
#: Those that run nothing of theirs which could change an array; how the names begin of the modules that have such.
_KNOWN_BASES = (
    "builtins.",
    "abc.",
    "typing.",
    "typing_extensions.",
    "enum.",
    "collections.",
    "numbers.",
    "dataclasses.",
)
#: Decorators of classes that add nothing which could.
_DECORATORS = frozenset(("dataclass", "total_ordering", "final", "runtime_checkable", "unique", "define", "frozen"))


def summarize_class(module: ModuleInfo, qualname: str, services: Services, changers: Changers) -> ClassSummary | None:
    """The class with what it inherits, as far as its bases are known."""
    info = module.classes.get(qualname)
    if info is None:
        return None
    own = {
        name: (Function(function, module=module.path), module.functions[function].kind)
        for name, function in info.methods.items()
    }
    bases = [_base(argument.value, module, services) for argument in info.node.bases]
    inherited = [services.class_of(base) for base in bases if isinstance(base, Class)]
    known = [summary for summary in inherited if summary is not None]
    made = [base for base in bases if base == Symbol(NAMEDTUPLE)]  # class P(namedtuple("P", "x y"))
    plain = [base for base in bases if isinstance(base, Symbol) and base.name in _PLAIN_BASES] + made
    complete = len(known) + len(plain) == len(bases)
    methods = dict(own)
    if complete:
        for name in {name for summary in known for name in summary.methods} - own.keys():
            found = {summary.methods[name] for summary in known if name in summary.methods}
            if len(found) == 1:  # else the order of the bases decides
                methods[name] = found.pop()
    names = [name.rpartition(".")[2] for name in info.decorators]
    is_record = (
        ("dataclass" in names and "__post_init__" not in methods)
        or (made and "__new__" not in methods)
        or any(dotted(argument.value).rpartition(".")[2] == "NamedTuple" for argument in info.node.bases)
    )
    array_bases = [base.name for base in bases if isinstance(base, Symbol) and base.name in ARRAYS]
    array_bases += [summary.array_base for summary in known if summary.array_base]
    resolved = tuple(base for base in bases if isinstance(base, Class)) if complete else ()
    outside = [base for base in bases if not isinstance(base, Class)]
    metaclasses = [dotted(argument.value).rpartition(".")[2] for argument in info.node.keywords]
    asked = changers.of_class(info.node.name.value, iter({*methods, *changers.shown, *changers.asked}))
    return ClassSummary(
        methods,
        resolved,
        bool(is_record),
        array_bases[0] if array_bases else "",
        asked=(asked & changers.asked).union(*(summary.asked for summary in known)),
        is_open=len(known) + len(outside) < len(bases)
        or any(not (isinstance(base, Symbol) and base.name.startswith(_KNOWN_BASES)) for base in outside)
        or not {"ABCMeta", "EnumMeta"}.issuperset(metaclasses)
        or not _DECORATORS.issuperset(names)
        or any(summary.is_open for summary in known),
        holds_items=bool(is_record)
        or bool(names)
        or any(base not in _PLAIN_SYMBOLS for base in outside)
        or any(summary.holds_items for summary in known),
    )


def _base(node: cst.BaseExpression, module: ModuleInfo, services: Services) -> Value:
    made = node.func if isinstance(node, cst.Call) else node  # only a namedtuple() is known
    text = dotted(made.value if isinstance(made, cst.Subscript) else made)
    first, _, rest = text.partition(".")
    value = module.values.get(first, Symbol(f"builtins.{first}"))
    if not isinstance(value, Symbol):
        return UNKNOWN if rest else value
    name = f"{value.name}.{rest}" if rest else value.name
    if isinstance(node, cst.Call) != (name == NAMEDTUPLE):
        return UNKNOWN
    return services.resolve(name) or Symbol(name)
