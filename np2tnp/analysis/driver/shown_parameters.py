"""What the text of a function shows of its parameters: those that only arrays can be, that count, draw, are dicts, or
objects of a class of the module.

What this says decides about doors alone: a call in which it is not so the original answers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.summaries import ClassSummary, Summary
from np2tnp.analysis.domain.values import NO_NAMES, Bound, Class, Function, Instance, may_hold_tensor
from np2tnp.analysis.module.contents import ClassInfo, FunctionInfo, ModuleInfo
from np2tnp.analysis.module.parameter_kinds import declared, documented, scalar_annotation
from np2tnp.analysis.syntax.python_tables import ARRAY_MEMBERS, MEMBERS, PYTHON_METHODS
from np2tnp.analysis.syntax.scopes import dotted, parameters_of
from np2tnp.analysis.syntax.walk import nodes_of, walk

#: Names that people give to arrays, and to no numbers. Where that is not so the original answers.
_NAMES_OF_ARRAYS = frozenset(
    "X Xs X_train X_test arr array data features frame frames image images img labels matrix points positions samples"
    " signal vec vector vectors weights".split()
)


def shown_arrays(function: FunctionInfo) -> set[str]:
    """Parameters, and attributes, that are used as only arrays are, before their names mean something else."""
    shown = {*declared(function)[0], *documented(function.node, _IS_ARRAY)}
    shown |= {p.name.value for p in parameters_of(function.node.params) if p.default is None} & _NAMES_OF_ARRAYS
    rebound: set[str] = set()
    for statement in function.node.body.body:
        shown |= {path_of(part) for node in walk(statement) for part in _uses_of_arrays(node)} - rebound
        for node in walk(statement):
            if type(node) is cst.Assign and not _is_copy_of_itself(node):
                rebound |= {name for it in node.targets for name in _rebound(it.target)}
    return shown


def _is_copy_of_itself(node: cst.Assign) -> bool:
    """``x = x.copy()`` or ``x = x.astype(...)``: what is done with the name afterwards shows what it was."""
    call = node.value
    if type(call) is not cst.Call or type(call.func) is not cst.Attribute or len(node.targets) != 1:
        return False
    owner = dotted(call.func.value)
    return call.func.attr.value in ("copy", "astype") and owner != "" and owner == dotted(node.targets[0].target)


#: Names that people give to numbers alone. Where an array comes the original answers.
_NAMES_OF_NUMBERS = frozenset(
    "alpha atol beta decay delta dt dx dy dz eps epsilon epsilon0 eta every fs gamma h k kappa lam lambda_"
    " learning_rate lmbda lr maxiter max_iter momentum mu n n_iter n_steps nsteps nt nu num nx ny nz omega order"
    " period period0 radius rate ratio rho rtol sample_rate sampling_rate sigma size stride tau temperature theta"
    " threshold tol tolerance width window".split()
)


def shown_numbers(function: FunctionInfo) -> set[str]:
    """Parameters that names or docstrings say are single numbers, where nothing else shows that they are arrays."""
    named = {p.name.value for p in parameters_of(function.node.params)} & _NAMES_OF_NUMBERS
    return named | documented(function.node, _IS_NUMBER)


def held_numbers(info: ModuleInfo, function: FunctionInfo) -> frozenset[str]:
    """Attributes of its object (``self.n``) to which the class assigns numbers alone, as far as its text shows."""
    owner = info.classes.get(function.owner or "")
    if owner is None or not function.is_method or not function.node.params.params:
        return NO_NAMES
    this = function.node.params.params[0].name.value
    if owner.numbers is None:
        owner.numbers = _held_numbers(owner, info)
    return frozenset(f"{this}.{name}" for name in owner.numbers)


def held_containers(info: ModuleInfo, function: FunctionInfo) -> frozenset[str]:
    """Attributes of its object (``self.rows``) that the class assigns displays of lists, dicts or sets to.

    But what it assigns to them later, computed, may be an array: ``self.rows = np.array(self.rows)``.
    """
    owner = info.classes.get(function.owner or "")
    if owner is None or not function.is_method or not function.node.params.params:
        return NO_NAMES
    this = function.node.params.params[0].name.value
    if owner.containers is None:
        nodes = (node for method in _methods(owner, info) for node in nodes_of(method.node.body))
        filled: set[str] = set()
        others: set[str] = set()
        for node in nodes:
            if type(node) is cst.Assign:
                names = {name for it in node.targets for name in _rebound(it.target)}
                kind = type(node.value)
                (filled if kind in _CONTAINERS else others if kind in _COMPUTED else set()).update(names)
        targets = filled - others
        owner.containers = frozenset(name.partition(".")[2] for name in targets) - {""}
    return frozenset(f"{this}.{name}" for name in owner.containers)


_COMPUTED = (cst.Call, cst.BinaryOperation)
_CONTAINERS = (cst.List, cst.Dict, cst.Set, cst.ListComp, cst.DictComp, cst.SetComp)


def _methods(owner: ClassInfo, info: ModuleInfo) -> Iterator[FunctionInfo]:
    return filter(None, (info.functions.get(qualname) for qualname in owner.methods.values()))


def _held_numbers(owner: ClassInfo, info: ModuleInfo) -> frozenset[str]:
    numbers: set[str] = set()
    others: set[str] = set()
    for line in owner.node.body.body:
        for part in line.body if isinstance(line, cst.SimpleStatementLine) else ():
            if type(part) is cst.AnnAssign and type(part.target) is cst.Name:  # of a dataclass
                declares = dotted(part.annotation.annotation) in ("float", "int")
                (numbers if declares else others).add(part.target.value)
    for method in _methods(owner, info):
        defaults = {p.name.value: p.default for p in parameters_of(method.node.params) if p.default is not None}
        given = set(declared(method)[1]) | shown_numbers(method)
        given |= {name for name, default in defaults.items() if is_number(default)}
        for node in nodes_of(method.node.body):
            if isinstance(node, (cst.Assign, cst.AugAssign, cst.AnnAssign)):
                targets = [it.target for it in node.targets] if isinstance(node, cst.Assign) else [node.target]
                for target, value in (pair for it in targets for pair in _pairs(it, node.value)):
                    names = {name.partition(".")[2] for name in _rebound(target)}
                    (numbers if value is not None and _of_numbers(value, given) else others).update(names)
    return frozenset(numbers - others - {""})


_Pair = tuple[cst.BaseExpression, "cst.BaseExpression | None"]


def _pairs(target: cst.BaseExpression, value: cst.BaseExpression | None) -> list[_Pair]:
    """What is assigned to what: of ``self.k, self.tol = k, tol`` the first to the first."""
    if isinstance(target, (cst.Tuple, cst.List)) and isinstance(value, (cst.Tuple, cst.List)):
        elements = [*target.elements, *value.elements]
        if len(target.elements) == len(value.elements) and all(type(it) is cst.Element for it in elements):
            return [(one.value, other.value) for one, other in zip(target.elements, value.elements, strict=True)]
    return [(target, value)]


def _of_numbers(node: cst.BaseExpression, given: set[str]) -> bool:
    """Whether `node` is a number, or arithmetic of numbers and of the parameters `given`, which likely are some."""
    if isinstance(node, cst.BinaryOperation):
        return _of_numbers(node.left, given) and _of_numbers(node.right, given)
    return is_number(node) or (type(node) is cst.Name and node.value in given) or _is_length(node)


def _is_length(node: cst.BaseExpression) -> bool:
    return type(node) is cst.Call and dotted(node.func) in ("len", "int", "float")


def is_number(node: cst.BaseExpression) -> bool:
    """Whether it is a number that is written out, or arithmetic of such: ``-1``, ``8 / 3``."""
    if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, (cst.Minus, cst.Plus)):
        node = node.expression
    if isinstance(node, cst.BinaryOperation):
        return is_number(node.left) and is_number(node.right)
    return isinstance(node, (cst.Integer, cst.Float))


def _rebound(target: cst.BaseExpression) -> set[str]:
    if isinstance(target, (cst.Tuple, cst.List)):
        return {name for element in target.elements for name in _rebound(element.value)}
    return {dotted(target)} if isinstance(target, (cst.Name, cst.Attribute)) else set()


def operands(function: cst.CSTNode) -> frozenset[str]:
    """The names, and attributes of such, that are operands of arithmetic, or of which parts are."""
    binary = (node for node in nodes_of(function) if type(node) is cst.BinaryOperation)
    return frozenset(dotted(_whole(part)) for node in binary for part in (node.left, node.right))


def _whole(node: cst.BaseExpression) -> cst.BaseExpression:
    while isinstance(node, cst.Subscript):
        node = node.value
    return node


#: Functions that make arrays of numbers alone.
_MAKERS = frozenset(
    "arange linspace logspace geomspace zeros ones full empty eye identity tri indices mgrid ogrid random rand randn"
    " normal uniform integers standard_normal array meshgrid fromfunction loadtxt".split()
)


def makes_arrays(function: FunctionInfo) -> bool:
    """Whether the function makes arrays that it was not given: then its only parameter need not be one."""
    names = (node.attr if type(node) is cst.Attribute else node for node in walk(function.node.body))
    return any(type(name) is cst.Name and name.value in _MAKERS for name in names)


def _uses_of_arrays(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    if type(node) is cst.Subscript or (type(node) is cst.Attribute and node.attr.value in ARRAY_MEMBERS):
        yield node.value
    elif type(node) is cst.Assign:
        if any(isinstance(it.target, (cst.Tuple, cst.List)) for it in node.targets):
            yield node.value
    elif type(node) is cst.BinaryOperation and isinstance(node.operator, cst.MatrixMultiply):
        yield node.left
        yield node.right
    elif type(node) is cst.Call and node.args:
        name = node.func.attr.value if type(node.func) is cst.Attribute else dotted(node.func)
        yield from (argument.value for argument in node.args[_OF_ARRAYS.get(name, slice(0))] if not argument.keyword)


_FIRST = (
    "amax amin argmax argmin argsort argwhere array_split average bincount cholesky corrcoef cov cumprod cumsum det"
    " diagonal diff eig eigh eigvals eigvalsh empty_like expand_dims fft fft2 fftn fftshift flatnonzero flip fliplr"
    " flipud full_like gradient histogram ifft ifft2 ifftn ifftshift inv irfft irfft2 len lstsq matrix_rank max mean"
    " median min moveaxis nanmean nansum nonzero norm ones_like pad percentile pinv ptp qr quantile ravel repeat"
    " reshape rfft rfft2 roll rot90 sort split squeeze std sum svd swapaxes tile trace transpose trapezoid trapz tril"
    " triu unique var zeros_like"
)
#: Functions of NumPy that people call with arrays alone, and which arguments these are.
_OF_ARRAYS = {
    **dict.fromkeys(_FIRST.split(), slice(0, 1)),
    **dict.fromkeys("convolve correlate cross dot inner kron matmul outer searchsorted solve".split(), slice(0, 2)),
    "tensordot": slice(0, 2), "vdot": slice(0, 2), "einsum": slice(1, None), "interp": slice(0, 3),
}  # fmt: skip


#: Functions of NumPy whose argument at this place is a number of items, in all that people write.
_COUNTING = {
    **dict.fromkeys("eye identity tri hanning hamming blackman bartlett fftfreq rfftfreq".split(), slice(0, 1)),
    "arange": slice(0, 2),
    "linspace": slice(2, 3),
}


_MADE_BY_SHAPE = ("zeros", "ones", "empty", "full")


def counts(function: FunctionInfo, facts: ev.RegionFacts) -> frozenset[str]:
    """Parameters that are numbers of items: of ``range``, of ``np.arange(n)``, lengths of axes."""
    found = (function.uses.counts & facts.assumed_scalars) | documented(function.node, _IS_COUNT)
    found |= {node.value for node in _counting_arguments(function.node.body) if type(node) is cst.Name}
    may_be = {p.name.value for p in parameters_of(function.node.params) if _may_be_count(p)}
    return frozenset(found) & may_be - function.uses.assigned


def counting_attributes(function: FunctionInfo) -> frozenset[str]:
    """Attributes that are numbers of items: ``self.n`` of ``np.arange(self.n)``, ``np.zeros((self.n, 3))``."""
    nodes = [*_counting_arguments(function.node.body), *_lengths_of_axes(function.node.body)]
    return frozenset(dotted(node) for node in nodes if type(node) is cst.Attribute) - {""}


def _counting_arguments(body: cst.CSTNode) -> Iterator[cst.BaseExpression]:
    for node, name in _calls_of_members(body):
        if name in _COUNTING and not (name == "arange" and len(node.args) > 2):
            yield from (it.value for it in node.args[_COUNTING[name]] if it.keyword is None)


def _lengths_of_axes(body: cst.CSTNode) -> Iterator[cst.BaseExpression]:
    """The items of shapes that arrays are made of."""
    for node, name in _calls_of_members(body):
        if name in _MADE_BY_SHAPE and node.args and node.args[0].keyword is None:
            shape = node.args[0].value
            yield from (it.value for it in shape.elements) if isinstance(shape, (cst.Tuple, cst.List)) else (shape,)


def _calls_of_members(body: cst.CSTNode) -> Iterator[tuple[cst.Call, str]]:
    for node in nodes_of(body):
        if type(node) is cst.Call and type(node.func) is cst.Attribute:
            yield node, node.func.attr.value


def worked_on(function: cst.FunctionDef, facts: ev.RegionFacts) -> frozenset[str]:
    """The names with which the function does more than give them to functions that are no NumPy's, or that draw.

    Functions that are defined in it are a part of it.

    Others are handed on alone, such as the function ``f`` of ``gradient(f, x)``, and seeds; or only asked whether they
    are true: flags.
    """
    calls = (event for event in facts.events if isinstance(event, ev.Call) and _computes_elsewhere(event))
    handed = {id(argument.node.value) for event in calls for argument in event.arguments}
    nodes = nodes_of(function.body)
    asked = {id(part) for node in nodes for part in _asked_for_truth(node)}
    names = (node for node in nodes if type(node) is cst.Name)
    return frozenset(node.value for node in names if id(node) not in handed and id(node) not in asked)


def _asked_for_truth(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    if type(node) in (cst.If, cst.IfExp, cst.While):
        yield node.test  # type: ignore[attr-defined]
    elif type(node) is cst.UnaryOperation and type(node.operator) is cst.Not:
        yield node.expression
    elif type(node) is cst.BooleanOperation:
        yield from (node.left, node.right)


def _computes_elsewhere(call: ev.Call) -> bool:
    if call.api is None:
        return not (isinstance(call.callee, Function) and call.callee.nested)
    return call.api.startswith("numpy.random.")


def path_of(node: cst.CSTNode) -> str:
    """``a.b``, ``a[key]`` for ``a["key"]``, or "" for anything else."""
    if type(node) is cst.Subscript and type(node.value) is cst.Name and (key := text_key(node)):
        return f"{node.value.value}[{key}]"
    return dotted(node)


def items_by_text(function: FunctionInfo) -> dict[str, set[str]]:
    """Parameters of which nothing is done but read ``params["w"]``, and these keys: they are dicts."""
    keys: dict[str, set[str]] = {}
    nodes = nodes_of(function.node.body)
    targets: list[cst.CSTNode] = [node.target for node in nodes if type(node) in _ASSIGNMENTS]  # type: ignore[attr-defined]
    targets += [node for node in nodes if type(node) is cst.Del]
    stored = {id(part) for target in targets for part in walk(target)}
    items: set[int] = set()
    for node in nodes:
        is_item = type(node) is cst.Subscript and type(node.value) is cst.Name and id(node) not in stored
        if is_item and (key := text_key(node)):  # type: ignore[arg-type]
            keys.setdefault(node.value.value, set()).add(key)  # type: ignore[attr-defined]
            items.add(id(node.value))  # type: ignore[attr-defined]
    others = {node.value for node in nodes if type(node) is cst.Name and id(node) not in items}
    names = {p.name.value for p in parameters_of(function.node.params) if p.annotation is None and p.default is None}
    return {name: found for name, found in keys.items() if name in names - others}


_ASSIGNMENTS = (cst.AssignTarget, cst.AugAssign, cst.AnnAssign, cst.For, cst.CompFor, cst.NamedExpr)


def text_key(node: cst.Subscript) -> str:
    """The key of ``x["key"]``, where it is a name as Python's are; empty for another index."""
    index = node.slice[0].slice if len(node.slice) == 1 else None
    key = index.value if isinstance(index, cst.Index) else None
    text = key.evaluated_value if isinstance(key, cst.SimpleString) else None
    return text if isinstance(text, str) and text.isidentifier() else ""


#: Methods by which random numbers are drawn.
_DRAWS = frozenset(
    "beta binomial bytes chisquare choice dirichlet exponential f gamma geometric gumbel hypergeometric integers"
    " laplace logistic lognormal logseries multinomial multivariate_normal negative_binomial normal pareto permutation"
    " permuted poisson power random rayleigh shuffle standard_cauchy standard_exponential standard_gamma"
    " standard_normal standard_t triangular uniform vonmises wald weibull zipf".split()
)


def generators(function: FunctionInfo) -> frozenset[str]:
    """Parameters from which the function draws random numbers, and which it gives to nobody but other functions.

    What is read and not called, as ``self.power``, may be any object's; so may the methods of a method's own object.
    """
    drawn: set[str] = set()
    others: set[str] = set()
    nodes = nodes_of(function.node.body)
    called = {id(node.func) for node in nodes if type(node) is cst.Call}
    for node in nodes:
        if type(node) is cst.Attribute and type(node.value) is cst.Name:
            if node.attr.value not in _DRAWS:
                others.add(node.value.value)
            elif id(node) in called:
                drawn.add(node.value.value)
    parameters = parameters_of(function.node.params)[1 if function.is_method else 0 :]
    names = {p.name.value for p in parameters if p.annotation is None and p.default is None}
    return frozenset(drawn - others - function.uses.assigned) & names


# --- What docstrings say, in NumPy's form (``x, y : ndarray, shape (n,)``) or Google's (``x (np.ndarray): ...``)

_IS_ARRAY = re.compile(r"(?:\d-?d |\()?(?:(?:np|numpy)\.)?(?:nd)?array|(?:npt\.)?NDArray\[", re.IGNORECASE)
_IS_NUMBER = re.compile(
    r"(?:positive |non-negative )?(?:int(?:eger)?|float|scalar|number|real)\b(?!.*(?:\bor\b|array|list|tuple|None))",
    re.IGNORECASE,
)
_IS_COUNT = re.compile(  # an int whose default is 0.5 is none
    r"(?:positive |non-negative )?int(?:eger)?\b(?!.*(?:\bor\b|float|array|list|tuple|None|\.\d|\d\.|\de-?\d))"
)


def _may_be_count(parameter: cst.Param) -> bool:
    annotated = parameter.annotation is None or scalar_annotation(parameter) == "int"
    return annotated and (parameter.default is None or type(parameter.default) is cst.Integer)


# --- Of which class of the module a parameter's objects are, by its annotation or by the methods that it is called for

ClassOf = Callable[[Class], "ClassSummary | None"]
SummaryOf = Callable[[Function], "Summary | None"]

#: Methods by which a class answers for attributes itself: what an object holds does not tell then.
_ANSWERING = frozenset(("__getattr__", "__getattribute__", "__setattr__", "__delattr__", "__new__"))


def classes_of(
    function: FunctionInfo, facts: ev.RegionFacts, info: ModuleInfo, class_of: ClassOf, summary_of: SummaryOf
) -> dict[str, Class]:
    """The class of each parameter of which the text tells it, and of which objects surely do what the module says."""
    params = function.node.params
    called, read = _asked_for(function)
    found: dict[str, Class] = {}
    handed = _handed_on(facts, summary_of)
    for index, parameter in enumerate((*params.posonly_params, *params.params, *params.kwonly_params)):
        name = parameter.name.value
        if (index == 0 and function.is_method) or parameter.default is not None or name in function.uses.assigned:
            continue
        made = _annotated(parameter, info) or _by_methods(called.get(name, set()), info, class_of) or handed.get(name)
        if made is not None and is_steady(made, info, class_of) and (name in read or name in handed):
            found[name] = made
    return found


def _asked_for(function: FunctionInfo) -> tuple[dict[str, set[str]], set[str]]:
    """The names for which each parameter is asked as for a method; and the parameters asked for any attribute."""
    names = {parameter.name.value for parameter in parameters_of(function.node.params)}
    called: dict[str, set[str]] = {}
    read: set[str] = set()
    for node in walk(function.node.body):
        if type(node) is cst.Call and type(node.func) is cst.Attribute and type(node.func.value) is cst.Name:
            called.setdefault(node.func.value.value, set()).add(node.func.attr.value)
        elif type(node) is cst.Attribute and type(node.value) is cst.Name:
            read.add(node.value.value)
    return {name: found for name, found in called.items() if name in names}, (read | called.keys()) & names


def _annotated(parameter: cst.Param, info: ModuleInfo) -> Class | None:
    node = parameter.annotation.annotation if parameter.annotation is not None else None
    name = str(node.evaluated_value) if isinstance(node, cst.SimpleString) else dotted(node) if node is not None else ""
    return Class(name, info.path) if name in info.classes else None


def _by_methods(called: set[str], info: ModuleInfo, class_of: ClassOf) -> Class | None:
    """The only class of the module that has all these methods; one of them at least is none of Python's or NumPy's."""
    if not called - MEMBERS - PYTHON_METHODS.keys():
        return None
    found = []
    for name in info.classes:
        known = class_of(Class(name, info.path))
        if known is not None and called <= known.methods.keys():
            found.append(Class(name, info.path))
    return found[0] if len(found) == 1 else None


def _handed_on(facts: ev.RegionFacts, summary_of: SummaryOf) -> dict[str, Class]:
    """Parameters that are handed to functions behind whose doors their class is known."""
    found: dict[str, Class] = {}
    for event in facts.events:
        if not isinstance(event, ev.Call) or not isinstance(event.callee, Function) or event.callee.nested:
            continue
        summary = summary_of(event.callee)
        matched = summary.match(event.arguments) if summary is not None and summary.objects else None
        for name, made in summary.objects if summary is not None and matched else ():
            node = matched[name].node.value if matched and name in matched else None
            if isinstance(node, cst.Name) and node.value in facts.parameters:
                found[node.value] = made
    return found


def is_steady(made: Class, info: ModuleInfo, class_of: ClassOf) -> bool:
    """Whether the text of the module says all of the class: it is bound once, and nothing of it is from elsewhere."""
    known = class_of(made)
    if known is None or made.module != info.path or "." in made.qualname:
        return False
    if known.is_open or known.array_base or made.qualname in info.rebound:
        return False
    if info.values.get(made.qualname) != made or _ANSWERING & known.methods.keys():
        return False
    if any(kind == "decorated" for _, kind in known.methods.values()):
        return False
    bases = {dotted(argument.value) for argument in info.classes[made.qualname].node.bases}
    return bases <= {"object", "ABC", "abc.ABC", *(base.qualname for base in known.bases)} and all(
        is_steady(base, info, class_of) for base in known.bases
    )


def is_asked_for(method: FunctionInfo, info: ModuleInfo) -> bool:
    """Whether code of the module asks some object for a method of that name."""
    name = method.node.name.value
    return any(type(node) is cst.Attribute and node.attr.value == name for node in walk(info.node))


def known_objects(classes: Mapping[str, Class]) -> tuple[tuple[str, Class], ...]:
    """As a summary holds them."""
    return tuple(sorted(classes.items(), key=lambda item: item[0]))


def is_plainer(facts: ev.RegionFacts, before: ev.RegionFacts | None) -> bool:
    """Whether a region does more with tensors than it did `before`, when it knew of no class; None: it did nothing."""
    if before is None:
        return any(map(_hands_tensors, facts.events))
    now, then = facts.planned, before.planned
    if (now.fetched, now.helpers) < (then.fetched, then.helpers):
        return True
    fewer = before.host_parameters - facts.host_parameters - facts.classes.keys()
    return bool(fewer) and now.fetched <= then.fetched


def _hands_tensors(event: ev.Event) -> bool:
    """Whether it is a call of a method, of an object of known class, with what may be a tensor."""
    if not isinstance(event, ev.Call) or not isinstance(event.callee, Bound):
        return False
    return isinstance(event.callee.receiver, Instance) and any(may_hold_tensor(it.value) for it in event.arguments)
