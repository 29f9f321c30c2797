"""The originals of migrated functions: for what these do not take.

They stand in one block at the end of the module, in front of what runs the program there. Where one may be needed
before that, or works nowhere else, it stands beside its function, under a private name.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Container, Iterable, Iterator
from dataclasses import dataclass

import libcst as cst

from np2tnp.analysis.module.contents import ModuleInfo, blocks_of, statements_of
from np2tnp.analysis.syntax.scopes import dotted
from np2tnp.analysis.syntax.walk import Transformer, walk
from np2tnp.edits import build

# --- One beside its function, under a private name


def original_name(name: str, words: Container[str], taken: set[str]) -> str:
    """A free private name for the original of the function `name`, added to `taken`.

    `words`: every identifier in the file. `taken`: names of originals in the same scope (a name may be defined twice).
    """
    candidate = f"_{name.strip('_') or 'function'}_numpy"
    while candidate in words or candidate in taken:
        candidate += "_"
    taken.add(candidate)
    return candidate


def is_protocol(node: cst.ClassDef) -> bool:
    """Whether the class is a protocol: every name in it, an original's too, is asked of those who implement it."""
    for base in node.bases:
        value = base.value.value if isinstance(base.value, cst.Subscript) else base.value
        name = value.attr if isinstance(value, cst.Attribute) else value
        if isinstance(name, cst.Name) and name.value == "Protocol":
            return True
    return False


def kept_original(node: cst.FunctionDef, name: str, imported: Collection[str] = ()) -> cst.FunctionDef:
    """`node` under the name `name`, without decorators and docstring.

    The runtime gives it the migrated function's default objects, so that each is made once: only those stay in the text
    that show themselves, literals and what is read from modules by a name in `imported`.
    """
    body = node.body
    if isinstance(body, cst.IndentedBlock) and node.get_docstring() is not None and len(body.body) > 1:
        first = body.body[1]
        lines = getattr(first, "leading_lines", ())
        above = next((n for n, line in enumerate(lines) if line.comment is not None), len(lines))
        if above:  # blank lines that stood below the docstring
            first = first.with_changes(leading_lines=lines[above:])
        body = body.with_changes(body=[first, *body.body[2:]])
    return node.with_changes(
        name=cst.Name(name),
        decorators=(),
        lines_after_decorators=(),
        leading_lines=_heading(node) or _blank(node),
        params=node.params.visit(_Shown(imported)),
        body=body,
    )


def with_exact_warnings(node: cst.FunctionDef, names: Container[str], runtime: str) -> cst.FunctionDef:
    """`node`, which the runtime will call, with its warnings for callers written as ``rt.warn``.

    names: by which it calls ``warnings.warn``.
    """
    if not names:
        return node
    changed = node.body.visit(_Warnings(names, runtime))
    assert isinstance(changed, cst.BaseSuite)
    return node.with_changes(body=changed)


class _Warnings(Transformer):
    def __init__(self, names: Container[str], runtime: str) -> None:
        super().__init__()
        self.names = names
        self.runtime = runtime

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.Call:  # noqa: N802
        by_level = any(it.keyword is not None and it.keyword.value == "stacklevel" for it in original_node.args)
        if dotted(original_node.func) not in self.names or not (by_level or len(original_node.args) > 2):
            return updated_node
        return updated_node.with_changes(func=build.name(f"{self.runtime}.warn"))


def below_original(node: cst.FunctionDef) -> cst.FunctionDef:
    """The migrated function with the blank lines that the original above it asks for, also at a block's beginning.

    A heading, comments that a blank line parts from the function, stands above both.
    """
    blank = _blank(node)
    heading = _heading(node)
    if blank and not heading:
        return node
    lines = node.leading_lines[len(heading) :]
    return node.with_changes(leading_lines=[*(blank or [cst.EmptyLine(indent=False)]), *lines])


def _heading(node: cst.FunctionDef) -> list[cst.EmptyLine]:
    lines = list(node.leading_lines)
    while lines and lines[-1].comment is not None:
        lines.pop()
    return lines if any(line.comment is not None for line in lines) else []


def _blank(node: cst.FunctionDef) -> list[cst.EmptyLine]:
    lines: list[cst.EmptyLine] = []
    for line in node.leading_lines:
        if line.comment is not None:
            break
        lines.append(line)
    return lines


class _Shown(Transformer):
    """Replaces the defaults by ``...`` whose evaluation may do, or give, something else the second time."""

    def __init__(self, imported: Collection[str]) -> None:
        super().__init__()
        self.imported = imported

    def leave_Param(self, original_node: cst.Param, updated_node: cst.Param) -> cst.Param:  # noqa: N802
        if original_node.default is None or self._is_shown(original_node.default):
            return updated_node
        return updated_node.with_changes(default=cst.Ellipsis())

    def _is_shown(self, node: cst.BaseExpression) -> bool:
        if isinstance(node, (cst.Integer, cst.Float, cst.Imaginary, cst.SimpleString, cst.Ellipsis)):
            return True
        if isinstance(node, cst.Name):
            return node.value in ("None", "True", "False")
        if isinstance(node, cst.UnaryOperation):
            return isinstance(node.expression, (cst.Integer, cst.Float))
        if isinstance(node, (cst.Tuple, cst.List)):
            return all(isinstance(item, cst.Element) and self._is_shown(item.value) for item in node.elements)
        if isinstance(node, cst.Dict):
            pairs = [item for item in node.elements if isinstance(item, cst.DictElement)]
            return len(pairs) == len(node.elements) and all(
                self._is_shown(part) for item in pairs for part in (item.key, item.value)
            )
        return isinstance(node, cst.Attribute) and dotted(node).partition(".")[0] in self.imported


# --- Where they stand

#: The line above the block.
HEADING = "# NumPy originals: np2tnp calls them for what the functions above do not take."
#: By these the code of a module finds any of its functions.
_BY_TEXT = frozenset(
    "globals locals vars eval exec getattr attrgetter methodcaller modules import_module __import__ testmod unittest"
    " pytest runpy".split()
)
#: Modules that know nothing of the program.
_OTHERS = frozenset(("numpy", "scipy", "matplotlib", "pandas", "tensorflow", "__future__", *sys.stdlib_module_names))
#: Expressions and statements that run code of others.
_RUNNING = (cst.Call, cst.BinaryOperation, cst.UnaryOperation, cst.Comparison, cst.Subscript, cst.For, cst.CompFor)
_RUNNING += (cst.With, cst.AugAssign, cst.FormattedStringExpression, cst.Del, cst.StarredElement)  # type: ignore[assignment]
_CELLS = ("\n# %%", "\n#%%", "\n# In[")
#: Names that only work in the class's own body.
_OF_CLASSES = frozenset(("super", "__class__"))


@dataclass(frozen=True, slots=True)
class Placement:
    """Where the originals of a module stand."""

    apart: frozenset[str]  #: qualnames of the functions whose originals stand in the block
    at: int  #: which statement of the module the block stands before
    name: str  #: of each original there


def place(module: ModuleInfo, functions: Collection[str], text: str, words: Container[str]) -> Placement:
    """Decide about the originals of these `functions`, by qualname."""
    body = list(module.node.body)
    homes: dict[str, int] = {}
    for index, statement in enumerate(body):
        homes.update((name, index) for name in _defined(statement, module) if name in functions)
    if not homes or any(mark in text for mark in _CELLS):  # cells run one by one
        return Placement(frozenset(), len(body), "_")
    reach = _Reach(module, frozenset(homes))
    first, last = min(homes.values()), max(homes.values())
    reached = [reach.of(statement, index > first) for index, statement in enumerate(body)]
    running = (index for index in range(last + 1, len(body)) if reached[index] or _is_main(body[index]))
    at = next(running, len(body))
    deleted = set[str]().union(*(_words(node) for node in walk(module.node) if type(node) is cst.Del))
    apart = {
        name
        for name, home in homes.items()
        if not any(name in reached[index] for index in range(home, at)) and _works_apart(module, name, deleted)
    }
    return Placement(frozenset(apart), at, _name(module.node, words))


def _defined(statement: cst.CSTNode, module: ModuleInfo) -> Iterator[str]:
    """The functions that a statement of a module or class defines in its body, by qualname; none twice."""
    if isinstance(statement, cst.FunctionDef):
        name = module.name_of.get(id(statement), "#")
        if "#" not in name and f"{name}#2" not in module.functions:
            yield name
    elif isinstance(statement, cst.ClassDef) and "#" not in module.name_of.get(id(statement), "#"):
        for inner in statements_of(statement.body):
            yield from _defined(inner, module)


def _works_apart(module: ModuleInfo, name: str, deleted: set[str]) -> bool:
    """Whether the function would be the same outside of its class. `deleted`: the names that the module deletes."""
    info = module.functions[name]
    head = [info.node.params, *([info.node.returns] if info.node.returns is not None else [])]
    around = set().union(*map(_words, head))
    if around & deleted:
        return False
    if info.owner is None:
        return True
    words = _words(info.node)
    private = any(word.startswith("__") and not word.endswith("__") for word in words)
    own: set[str] = set()
    scope = ""
    for part in name.split(".")[:-1]:
        scope = f"{scope}.{part}" if scope else part
        owner = module.classes.get(scope)
        if owner is None:
            return False
        if getattr(owner.node, "type_parameters", None) is not None:
            return False
        for statement in statements_of(owner.node.body):
            if isinstance(statement, (cst.FunctionDef, cst.ClassDef)):
                own.add(statement.name.value)
            else:
                own |= _words(statement)
    own -= module.values.keys()
    return not private and not words & _OF_CLASSES and not around & own


def _name(tree: cst.Module, words: Container[str]) -> str:
    """A name for the originals, which nothing reads."""
    if "_" not in words:
        return "_"
    bound: set[int] = set()
    for node in walk(tree):
        if isinstance(node, (cst.For, cst.CompFor, cst.AssignTarget)):
            bound.update(map(id, walk(node.target)))
        elif type(node) is cst.Param:
            bound.add(id(node.name))
    if all(id(node) in bound for node in walk(tree) if type(node) is cst.Name and node.value == "_"):
        return "_"
    name = "_original"
    while name in words:
        name += "_"
    return name


def _is_main(statement: cst.CSTNode) -> bool:
    return isinstance(statement, cst.If) and any(
        isinstance(part, cst.Name) and part.value == "__name__" for part in walk(statement.test)
    )


class _Reach:
    """Which migrated functions a statement of the top level may call, while it runs: by all names that lead to them."""

    def __init__(self, module: ModuleInfo, functions: frozenset[str]) -> None:
        self._functions = functions
        self._by_word: dict[str, set[str]] = {}
        for name in functions:
            self._by_word.setdefault(name.rpartition(".")[2], set()).add(name)
        self._leads: dict[str, set[str]] = {}  #: a name of the module or of its classes -> the words behind it
        self._classes_run = False  #: whether code runs where a class is made
        self._others = _only_read(module.node)
        for statement in module.node.body:
            self._note(statement)
        mentioned = _words(module.node)
        self._classes_run = bool(mentioned & {"__init_subclass__", "__set_name__", "metaclass"}) or any(
            isinstance(base.value, cst.Name) and base.value.value == "type"
            for info in module.classes.values()
            for base in info.node.bases
        )

    def of(self, statement: cst.CSTNode, is_late: bool) -> frozenset[str]:
        """`is_late`: functions are there that what an import runs may call."""
        words: set[str] = set()
        if not self._collect(statement, words, is_late) or words & _BY_TEXT:
            return self._functions
        seen: set[str] = set()
        waiting = list(words)
        while waiting:
            word = waiting.pop()
            if word not in seen:
                seen.add(word)
                waiting += self._leads.get(word, ())
        if seen & _BY_TEXT:
            return self._functions
        return frozenset(name for word in seen for name in self._by_word.get(word, ()))

    def _note(self, statement: cst.CSTNode) -> None:
        names: Iterable[str] = ()
        if isinstance(statement, (cst.FunctionDef, cst.ClassDef)):
            names = (statement.name.value,)
            for inner in statements_of(statement.body) if isinstance(statement, cst.ClassDef) else ():
                self._note(inner)
        elif isinstance(statement, cst.SimpleStatementLine):
            if not any(isinstance(part, (cst.Import, cst.ImportFrom)) for part in statement.body):
                names = self._leading(statement)
        else:
            for block in blocks_of(statement):
                for inner in statements_of(block):
                    self._note(inner)
            names = self._leading(statement) if not isinstance(statement, (cst.If, cst.Try)) else ()
        words = _words(statement) if names else set()
        for name in names:
            self._leads.setdefault(name, set()).update(words)

    def _leading(self, statement: cst.CSTNode) -> set[str]:
        """The words by which something that `statement` made or changed may be found, `np` and `np.ones` aside."""
        aside: set[int] = set()
        for node in walk(statement):
            if type(node) is cst.Attribute and dotted(node).partition(".")[0] in self._others:
                aside.update(id(part) for part in walk(node))
        return {part.value for part in walk(statement) if type(part) is cst.Name and id(part) not in aside}

    def _collect(self, statement: cst.CSTNode, words: set[str], is_late: bool) -> bool:
        """The words that run when the statement does; False for what may run anything."""
        if isinstance(statement, cst.FunctionDef):
            for head in _evaluated(statement):
                words |= _words(head)
            if any(dotted(_called(it.decorator)) in self._leads for it in statement.decorators):
                words |= _words(statement.body)  # a decorator of the module's own may call it
        elif isinstance(statement, cst.ClassDef):
            for part in (*statement.decorators, *statement.bases, *statement.keywords):
                words |= _words(part) if not isinstance(part, cst.Arg) or self._classes_run else set()
            if self._classes_run or any(dotted(_called(it.decorator)) in self._leads for it in statement.decorators):
                words |= _words(statement)
            return all(self._collect(inner, words, is_late) for inner in statements_of(statement.body))
        elif isinstance(statement, cst.SimpleStatementLine):
            for part in statement.body:
                if isinstance(part, (cst.Import, cst.ImportFrom)):
                    if is_late and not _is_of_others(part):
                        return False
                elif any(isinstance(inner, _RUNNING) for inner in walk(part)):
                    words |= _words(part)
        else:
            if isinstance(statement, (cst.If, cst.Try)):
                if isinstance(statement, cst.If):
                    words |= _words(statement.test)
                blocks = [inner for block in blocks_of(statement) for inner in statements_of(block)]
                return all(self._collect(inner, words, is_late) for inner in blocks)
            words |= _words(statement)
            inner_imports = (part for part in walk(statement) if isinstance(part, (cst.Import, cst.ImportFrom)))
            return not is_late or all(map(_is_of_others, inner_imports))
        return True


def _evaluated(function: cst.FunctionDef) -> Iterator[cst.CSTNode]:
    """What a ``def`` evaluates itself: decorators, defaults and annotations, not the names of its parameters."""
    yield from function.decorators
    for part in walk(function.params):
        if type(part) is cst.Annotation:
            yield part
        elif type(part) is cst.Param and part.default is not None:
            yield part.default
    if function.returns is not None:
        yield function.returns


_BINDING = frozenset((cst.AssignTarget, cst.AugAssign, cst.AnnAssign, cst.Del))


def _only_read(tree: cst.Module) -> set[str]:
    """The names of modules of others from which a module only reads: no function of its own is reached by them."""
    names: set[str] = set()
    read: set[int] = set()
    for node in walk(tree):
        if type(node) is cst.Import and _is_of_others(node):
            names.update(alias.evaluated_alias or alias.evaluated_name.partition(".")[0] for alias in node.names)
            read.update(id(part) for part in walk(node))
        elif type(node) is cst.Attribute:
            read.add(id(node.attr))
            read.add(id(node.value))
    for node in walk(tree):
        if type(node) is cst.Name and id(node) not in read:
            names.discard(node.value)
        elif type(node) in _BINDING:
            names -= _words(node.target)  # type: ignore[attr-defined] # one of these has it
    return names


def _called(node: cst.BaseExpression) -> cst.BaseExpression:
    return node.func if isinstance(node, cst.Call) else node


def _words(node: cst.CSTNode) -> set[str]:
    return {part.value for part in walk(node) if type(part) is cst.Name}


def _is_of_others(node: cst.Import | cst.ImportFrom) -> bool:
    if isinstance(node, cst.Import):
        return all(dotted(alias.name).partition(".")[0] in _OTHERS for alias in node.names)
    return not node.relative and node.module is not None and dotted(node.module).partition(".")[0] in _OTHERS


def with_block(tree: cst.Module, made: list[cst.FunctionDef], at: int) -> cst.Module:
    """`tree` with these originals, in the order of their functions, in one block before its statement `at`."""
    if not made:
        return tree
    empty = cst.EmptyLine(indent=False)
    heading = cst.EmptyLine(indent=False, comment=cst.Comment(HEADING))
    made = [node.with_changes(leading_lines=[empty, empty]) for node in made]
    made[0] = made[0].with_changes(leading_lines=[empty, empty, heading, empty, empty])
    body = list(tree.body)
    lines = getattr(body[at], "leading_lines", ()) if at < len(body) else [empty, empty]
    blank = next((number for number, line in enumerate(lines) if line.comment is not None), len(lines))
    end = made[-1].body
    if blank < 2 and isinstance(end, cst.IndentedBlock):
        made[-1] = made[-1].with_changes(body=end.with_changes(footer=[*end.footer, *[empty] * (2 - blank)]))
    return tree.with_changes(body=[*body[:at], *made, *body[at:]])
