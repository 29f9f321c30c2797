"""``np2tnp api NAME``: what the catalog knows of one NumPy function, for people."""

from __future__ import annotations

import re

from np2tnp.catalog.catalog import Catalog, load
from np2tnp.catalog.facts import ApiFact, Stage, Target, covers_all
from np2tnp.config import CHOICES, Config
from np2tnp.edits.call_domain import describe_condition, describe_kinds
from np2tnp.guests import GUESTS
from np2tnp.report import fates
from np2tnp.report.style import Style

_DTYPES = {
    "?": "bool", "b": "int8", "h": "int16", "i": "int32", "l": "int64", "B": "uint8", "H": "uint16", "I": "uint32",
    "L": "uint64",
    "e": "float16", "f": "float32", "d": "float64", "F": "complex64", "D": "complex128",
}  # fmt: skip

_GROUPS = (
    ("every dtype", "?bhilBHILefdFD"), ("every real dtype", "?bhilBHILefd"), ("every number dtype", "bhilBHILefdFD"),
    ("integers", "bhilBHIL"), ("signed integers", "bhil"), ("unsigned integers", "BHIL"),
    ("floats and complex", "efdFD"), ("floats", "efd"), ("complex", "FD"),
)  # fmt: skip

#: Operators as they are written, and their names in Python's ``operator``.
SIGNS = {
    "+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod", "**": "pow", "@": "matmul",
    "&": "and_", "|": "or_", "^": "xor", "~": "invert", "<<": "lshift", ">>": "rshift",
    "==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge", "[]": "getitem", "in": "contains",
    "+=": "iadd", "-=": "isub", "*=": "imul", "/=": "itruediv", "//=": "ifloordiv", "%=": "imod", "**=": "ipow",
    "@=": "imatmul", "&=": "iand", "|=": "ior", "^=": "ixor", "<<=": "ilshift", ">>=": "irshift", "[]=": "setitem",
}  # fmt: skip

_EFFECTS = {
    "fresh": "owns its memory",
    "view": "shares memory with its argument",
    "may-view": "may share memory with its argument",
    "none": "is not an array",
}


def render(name: str, catalog: Catalog, config: Config, colour: bool = False) -> str | None:
    """What is known of `name`; None when nothing is (``catalog.suggest`` may know what was meant)."""
    fact = find(name, catalog)
    if fact is None:
        return None
    style = Style(colour)
    lines = [style(_signature(fact), "bold") + f"  {fact.kind}"]
    if fact.alias_of:
        gone = "NumPy 2 has no such name; it is" if fact.legacy else "another name of"
        lines.append(f"  {gone} {fact.alias_of}")
    elif fact.legacy and catalog.target_numpy == "newest":
        lines.append("  NumPy 2 has no such name")
    if fact.since and catalog.target_numpy != "newest":
        lines.append(f"  NumPy {catalog.target_numpy} has no such name: it came with NumPy {fact.since}")
    fate = fates.find([fact.name], catalog, config).get(fact.name)
    if fate is not None:
        reason = fate.reason.replace(f" (see `np2tnp api {fact.name}`)", "")  # this is that page
        lines.append(f"  {style(fate.verdict, 'bold')}: {reason}")
    lines += [f"  {line}" for line in (*_behaviour(fact), *_targets(fact, style))]
    lines += [f"  {line}" for line in _versions(fact, catalog)]
    if fate is not None and fate.after:
        lines += ["", "  before", *_indented(fate.before), "  after", *_indented(fate.after)]
    return "\n".join(lines) + "\n"


def _indented(code: str) -> list[str]:
    return [f"      {line}" for line in code.splitlines()]


def _versions(fact: ApiFact, catalog: Catalog) -> list[str]:
    """What was measured where, and on which older TensorFlow it is otherwise."""
    versions = catalog.versions
    lines = [f"measured with NumPy {versions.get('numpy')} and TensorFlow {versions.get('tensorflow')} on a CPU"]
    for version in CHOICES["target_tensorflow"]:
        older = load(version)
        if version != "newest" and older.versions != versions and catalog is load():
            other = older.get(fact.name)
            if other is not None and any(
                _promise(a) != _promise(b) for a, b in ((other.tnp, fact.tnp), (other.rt, fact.rt))
            ):
                lines.append(
                    f"    otherwise on TensorFlow {version}: np2tnp api {fact.name} --target-tensorflow {version}"
                )
    return lines


def _promise(target: Target | None) -> object:
    return None if target is None else (target.dtypes, target.accepted, target.pairs_bad)


def find(name: str, catalog: Catalog) -> ApiFact | None:
    """The fact for what a person may type: ``np.sum``, ``sum``, ``numpy.fft.rfft``, ``ndarray.sort``, ``x.sort``,
    ``Generator.normal``, ``operator.add``, ``+``; ``tnp.sum`` and ``rt.sum`` are NumPy's function of that name.
    """
    plain = name.strip()
    if plain not in SIGNS:
        plain = plain.partition("(")[0]
        plain = f"ndarray{plain}" if plain.startswith(".") else plain
    plain = f"numpy.{plain[3:]}" if plain.startswith("np.") else plain
    owner, _, member = plain.rpartition(".")
    candidates = [f"operator.{SIGNS[plain]}"] if plain in SIGNS else []
    candidates += [plain, f"numpy.{plain}", plain.removeprefix("numpy."), f"ndarray.{plain}", f"operator.{plain}"]
    candidates.append(f"numpy.random.{plain}")
    if plain.startswith(("tnp.", "rt.")):  # what our own output names
        short = plain.partition(".")[2]
        candidates = [f"operator.{short[3:]}"] if short.startswith("op_") else [f"numpy.{short}"]
    elif owner.isidentifier() and owner != "numpy":  # a variable of the person's program
        candidates += [f"ndarray.{member}", f"numpy.random.Generator.{member}"]
    for candidate in candidates:
        fact = catalog.get(candidate)
        if fact is not None:
            return fact
    inside = [known for known in catalog.names() if known.endswith(f".{plain}")]  # of a module below numpy
    return catalog.get(inside[0]) if len(inside) == 1 and plain else None


def describe_dtypes(chars: str) -> str:
    """Dtype characters in words, groups first: ``integers, float64``."""
    rest, words = set(chars), []
    for word, group in _GROUPS:
        if rest >= set(group):
            words.append(word)
            rest -= set(group)
    words += [_DTYPES[char] for char in _DTYPES if char in rest]
    return ", ".join(words) or "no dtype"


def _signature(fact: ApiFact) -> str:
    if fact.kind in ("attribute", "constant", "module", "object"):
        return fact.name
    return f"{fact.name}({', '.join(fact.parameters)})"


#: Dtype rules of the catalog (docs/dev/reference/catalog-format.md) as a person would say them.
_RULES = {
    "same": "the dtype of {}",
    "promote": "{} promoted",
    "strong": "{} promoted, numbers in lists as arrays",
    "real": "{} promoted, complex to float",
    "sum": "{} promoted, small integers to 64 bits",
    "float": "{} promoted, integers to the float that holds them",
    "mean": "{} promoted, integers to float64",
    "true_divide": "{} promoted, integers to float64",
    "float_real": "{} promoted, to the real float that holds it",
    "mean_real": "{} promoted, integers to float64, complex to float",
    "complex": "{} promoted, to complex",
    "no_bool": "{} promoted, bool to int8",
    "round": "{} promoted, bool to float16",
    "float_each": "{}, integers to floats, then promoted",
    "mean_each": "{}, integers to float64, then promoted",
    "bool": "bool",
    "intp": "int64",
    "any": "that of each of {}",
    "word": "{} promoted, integers to 64 bits",
    "double": "{} promoted, to float64 or complex128",
    "quantile": "{} promoted, integers to float64",
    "complex_real": "{} promoted, to the real float that holds it",
}


def describe_rule(rule: str) -> str:
    """A dtype rule of the catalog in words: ``sum(a)`` as ``a promoted, small integers to 64 bits``."""
    single, separator, items = rule.partition("::")
    if separator:
        each = "; ".join(map(describe_rule, items.split(";")))
        return f"of its items: {each}" + (f"; of one array: {describe_rule(single)}" if single else "")
    if "|" in rule:
        return " or ".join(map(describe_rule, rule.split("|")))
    name, _, rest = rule.partition("(")
    default = _DTYPES.get(rule[-2:-1], rule[-2:-1]) if rule.endswith("]") else ""
    if name.startswith("dtype"):
        return f"that of the argument dtype, else {default}" if rest else default
    operands = rest.removesuffix(")").replace(",", ", ")
    text = _RULES[name.replace("float_promote", "float")].format(operands)
    return text if "," in operands else text.replace(f"{operands} promoted, ", f"that of {operands}, ")


def _behaviour(fact: ApiFact) -> list[str]:
    if not fact.measured:
        worst = "behaviour: not measured; treated as if the result shared memory with every argument"
        return [worst] if fact.kind in ("function", "ufunc", "method", "operator") else []
    rule = "" if fact.result in (None, "python") else f"; dtype: {describe_rule(fact.result)}"
    lines = [f"result: {_EFFECTS[fact.effect]}{rule}"]
    if fact.mutates:
        lines.append(f"changes in place: {', '.join(fact.mutates)}")
    return lines


def _targets(fact: ApiFact, style: Style) -> list[str]:
    if fact.prefer == "numpy":
        return ["stays NumPy, on the host"]
    if said := [words for guest in GUESTS if (words := guest.of_api(fact.name))]:
        return said
    lines = []
    for label, target in (("tnp", fact.tnp), ("rt", fact.rt)):
        if target is not None:
            lines += _target(label, target, fact, style)
    if fact.attempt:
        lines.append(f"tried: {fact.attempt}")
    return lines + _legend(lines)


#: What a measurement's calls call their arguments (np2tnp/probe/cases), in words.
ARGUMENTS = {
    **dict.fromkeys(("v", "w", "g", "d"), "a vector"), **dict.fromkeys(("m", "n", "q", "p"), "a matrix"),
    **dict.fromkeys(("t", "t2"), "an array of 3 axes"), **dict.fromkeys(("l", "l2", "l3"), "a long vector"),
    **dict.fromkeys(("z", "y"), "a 0-d array"), **dict.fromkeys(("e", "em", "me", "e3"), "an empty array"),
    **dict.fromkeys(("r", "r2"), "a row"), "c": "a column", "s": "special values (NaN, infinite, largest)",
    "S": "special values as a column", "U": "special values as a row", "k": "indices", "b": "a mask",
    "bm": "a mask of a matrix", "number": "a Python number",
}  # fmt: skip
_CALL = re.compile(r": \((.*)\)$")


def _legend(lines: list[str]) -> list[str]:
    """What the names in the calls shown stand for."""
    calls = [re.sub("'[^']*'", "", call) for line in lines for call in _CALL.findall(line)]
    names = [name for call in calls for name in re.findall(r"\b[a-zA-Z]\w*\b", call)]
    said: dict[str, list[str]] = {}
    for name in dict.fromkeys(names):
        if name in ARGUMENTS:
            said.setdefault(ARGUMENTS[name], []).append(name)
    words = "; ".join(f"{', '.join(same)}: {what}" for what, same in said.items())
    return [f"in the calls shown: {words}"] if words else []


def _target(label: str, target: Target, fact: ApiFact, style: Style) -> list[str]:
    if target.name == "operator":
        return _operator(target)
    notes = fact.agreement.get(label, {}) if isinstance(fact.agreement, dict) else {}
    good = style(
        describe_dtypes(target.dtypes), "green" if covers_all(target.dtypes) else "yellow" if target.dtypes else "red"
    )
    lines = [
        f"{target.name}: equal for {good}" + (f", with {', '.join(sorted(target.accepted))}" if target.dtypes else "")
    ]
    for chars, word in notes.items():
        if set(chars) <= set(_DTYPES) and not word.startswith(("equal", "ulp", "raises")):
            lines.append(f"    {describe_dtypes(chars)}: {_in_words(word)}")
    lines += [f"    {line}" for line in _domain(target)]
    lines += [f"    {parameter}: {_in_words(why)}" for parameter, why in notes.get("refused", {}).items()]
    if target.host_dtypes:
        lines.append(f"    asks NumPy on the host for {describe_dtypes(target.host_dtypes)}")
    return lines + _stages(target)


def _domain(target: Target) -> list[str]:
    """The conditions under which the target is equal: what its arguments may be, and what is left out."""
    lines = [
        f"{name} may be {describe_kinds(kinds) if name != 'dtype' else describe_dtypes(''.join(kinds))}"
        for name, kinds in target.kinds.items()
    ]
    for condition, (chars, why) in target.outside.items():
        dtypes = "" if set(chars) >= set(target.dtypes) else f", for {describe_dtypes(chars)}"
        lines.append(f"not for {describe_condition(condition)}{dtypes}: {_in_words(why)}")
    return lines


def _stages(target: Target) -> list[str]:
    """What holds inside tf.function and under XLA."""
    lines = []
    for stage, where in ((target.traced, "in tf.function"), (target.compiled, "under XLA"), (target.gpu, "on a GPU")):
        if not (target.dtypes or target.pairs_bad):
            continue
        if stage is None:
            lines += [f"    {where}: not measured"] if where != "on a GPU" else []  # which few machines have
            continue
        lines += [f"    {where}: {_stage(stage, target)}"]
        lines += [
            f"        {describe_dtypes(chars)}: {_in_words(word)}"
            for chars, word in {**stage.differs, **stage.fails}.items()
        ]
    return lines


def _stage(stage: Stage, target: Target) -> str:
    if stage.pairs_bad or stage.weak_bad:
        return f"other results for {', '.join(stage.pairs_bad) or describe_dtypes(stage.weak_bad)}"
    words = "the same, but" if stage.fails or stage.differs else "the same"
    if stage.dtypes != target.dtypes:
        words = f"equal for {describe_dtypes(stage.dtypes)}"
    if missing := sorted(target.accepted - stage.accepted):
        words += f", without {', '.join(missing)}" if stage.dtypes else ""
    return words + (f"; returns where NumPy raises: {stage.unchecked}" if stage.unchecked else "")


def _operator(target: Target) -> list[str]:
    if target.dtypes:
        return [f"tensor operator: equal for {describe_dtypes(target.dtypes)}"]
    lines = [f"tensor operator: {196 - len(target.pairs_bad)} of 196 pairs of dtypes equal"]
    for word, bad in (("a Python int", target.weak_int_bad), ("a Python float", target.weak_float_bad)):
        if bad:
            lines.append(f"    differs with {word}: {describe_dtypes(bad)}")
    return lines + _stages(target)


_WORDS = {
    "value": "gives other values",
    "dtype": "gives another dtype",
    "shape": "gives another shape",
    "type": "gives another type",
    "structure": "gives another structure",
    "itself": "gives its argument back, where NumPy makes an array",
    "no error": "returns where NumPy raises",
    "crash": "crashes the process",
    "hang": "hangs",
    "error ": "raises ",
}


def _in_words(label: str) -> str:
    """A label of the probe as a person would say it."""
    text, _, chars = label.rpartition(" for ")
    if text and set(chars) <= set(_DTYPES):
        label = f"{text} for {describe_dtypes(chars)}"
    for start, words in _WORDS.items():
        if label.startswith(start):
            return words + label[len(start) :]
    return label
