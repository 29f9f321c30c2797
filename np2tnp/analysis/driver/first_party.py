"""What a first-party name denotes: re-exports, star imports and submodules are followed to where it is defined."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from np2tnp.analysis.module.imports import EMITTED
from np2tnp.analysis.syntax.python_tables import imports_compiler
from np2tnp.files.modules import Modules
from np2tnp.files.outline import SEVERAL, Binding, Outline
from np2tnp.files.replaced import imports_of, may_replace, replaced_in


@dataclass(frozen=True, slots=True)
class Target:
    """Where a name leads.

    kind: "module", "function" or "class" (`name` is its qualified name, perhaps of a member of a class), "value" (of
    the module's top level), "several" (`name` begins with one that is bound more than once there), or "outside" (`name`
    is the canonical name of something that is not first-party).
    """

    kind: str
    module: str
    name: str = ""
    binding: Binding = SEVERAL


def is_emitted(name: str) -> bool:
    """Whether `name` is a module that rewritten code imports: a later run must know it, however it was bound."""
    return name in EMITTED or name.endswith(".np2tnp_runtime")


class Names:
    """Looks names up. ``places`` collects the files and directories that the last questions depended on."""

    def __init__(self, modules: Modules) -> None:
        self.modules = modules
        self.places: set[str] = set()

    def find(self, file: str, name: str) -> Target | None:
        """What the dotted `name` means in `file`; None where that is not certain or not first-party."""
        return self._find(file, name, frozenset())

    def public(self, file: str, module: str) -> tuple[str, ...]:
        """The names that ``from module import *`` binds in `file`.

        ``*module`` stands for those of a module that is not first-party, ``rt=np2tnp.runtime`` for what is emitted.
        """
        found: dict[str, None] = {}
        self._public(file, module, found, set())
        return tuple(found)

    def operators(self, file: str) -> frozenset[str]:
        """The operators that classes of the modules define which `file` imports, or from which it imports a class."""
        outline = self._outline(file)
        bound = outline.names.values() if outline is not None else ()
        targets = [self.find(file, str(binding.detail)) for binding in bound if binding.kind == "import"]
        modules = {target.module for target in targets if target is not None and target.kind in ("module", "class")}
        return frozenset().union(*(found.operators for found in map(self._outline, sorted(modules)) if found))

    def imported(self, file: str, text: str) -> dict[str, str]:
        """The first-party modules that the imports of `file` run, packages included, and their texts."""
        imported = (path for name in imports_of(text, self.modules.trees) for path in self._modules(file, name))
        found: dict[str, str] = {}
        for path in dict.fromkeys(imported):
            other = None if path.endswith(os.sep) or path == file else self.modules.text(path)
            if other is not None:
                found[path] = other
        return found

    def first_party(self, file: str, text: str) -> frozenset[str]:
        """The first parts of the names of first-party modules that `file` imports."""
        names = imports_of(text, self.modules.trees)
        return frozenset(name.partition(".")[0] for name in names if self._modules(file, name))

    def compiler(self, text: str, imported: Mapping[str, str]) -> str:
        """Whether a module's text imports a compiler of native code ("own"), or one of the `imported` texts does."""
        if imports_compiler(text):
            return "own"
        return "imported" if any(map(imports_compiler, imported.values())) else ""

    def replaced(self, text: str, imported: Mapping[str, str]) -> dict[str, str]:
        """Names of NumPy's and builtins that `file`, or one of the `imported` modules, replaces -> where.

        ``own.name``: a name of the module's own that is rebound through its dictionary.
        """
        trees = self.modules.trees
        found = {name: f"line {line}" for name, line in reversed(replaced_in(text, trees).lines)}
        for path, other in imported.items():
            if may_replace(other):
                for name, line in replaced_in(other, trees).lines:
                    if not name.startswith("own."):
                        found.setdefault(name, f"line {line} of {os.path.basename(path)}")
        return found

    def _modules(self, file: str, name: str) -> list[str]:
        """The first-party modules that ``import name`` runs, packages first."""
        first, rest, looked = self.modules.start(file, name)
        self.places.update(looked)
        found, module = [], first or None
        while module:
            found.append(module)
            module, rest = (self._child(module, rest[0]) if rest else None), rest[1:]
        self.places.update(path for path in found if not path.endswith(os.sep))
        return found

    def _public(self, file: str, name: str, found: dict[str, None], seen: set[str]) -> None:
        """Add to `found` what a star import of `name` binds. `seen`: the modules that were looked at."""
        module = self._module(file, name)
        if module is not None and module in seen:
            return
        outline = self._outline(module) if module is not None else None
        if module is None or outline is None:
            found[f"*{name}"] = None
            return
        seen.add(module)
        if outline.exported is None:
            for star in outline.stars:
                self._public(module, star, found, seen)
        for public in outline.public():
            bound = outline.names.get(public)
            same = bound.detail if bound is not None and bound.kind == "import" else ""
            found[f"{public}={same}" if is_emitted(str(same)) else public] = None

    def _module(self, file: str, name: str) -> str | None:
        """The first-party module that the import system finds: it asks directories, not what packages bind."""
        module: str | None
        module, rest, looked = self.modules.start(file, name)
        self.places.update(looked)
        for part in rest:
            module = self._child(module, part) if module else None
        return module or None

    def _outline(self, path: str) -> Outline | None:
        if not path.endswith(os.sep):
            self.places.add(path)
        return self.modules.outline(path)

    def _find(self, file: str, name: str, seen: frozenset[tuple[str, str]]) -> Target | None:
        module, rest, looked = self.modules.start(file, name)
        self.places.update(looked)
        if not module:
            return Target("outside", "", name)
        return self._follow(module, rest, seen)

    def _follow(self, module: str, names: tuple[str, ...], seen: frozenset[tuple[str, str]]) -> Target | None:
        if not names:
            return Target("module", module)
        name, rest = names[0], names[1:]
        child = self._child(module, name)
        if (module, name) in seen:
            return self._follow(child, rest, seen) if child is not None else None
        seen |= {(module, name)}
        outline = self._outline(module)
        binding = outline.names.get(name) if outline is not None else None
        if binding is None and outline is not None:
            for star in reversed(outline.stars):
                public: dict[str, None] = {}
                self._public(module, star, public, set())
                if name in public:
                    inner = ".".join(names)
                    full = f"{star}{inner}" if star.endswith(".") else f"{star}.{inner}"
                    if child is not None and (rest or self._module(module, star) != child):
                        return None  # as for what is imported by its name: see _follow_import
                    return self._find(module, full, seen)
            if outline.stars and child is None and any(self._module(module, star) is None for star in outline.stars):
                return None
        if binding is not None and outline is not None and self._may_rebind(module, name, binding, outline):
            return None
        if binding is None:
            return self._follow(child, rest, seen) if child is not None else None
        if binding.kind == "import":
            return self._follow_import(module, str(binding.detail), child, rest, seen)
        if child is not None:
            return None  # the submodule or what the package binds, depending on the order of imports
        if binding.kind == "several":
            return Target("several", module, ".".join(names))
        if binding.kind in ("function", "class"):
            if rest and binding.kind == "function":
                return None
            return Target("function" if rest else binding.kind, module, ".".join(names), binding)
        return None if rest else Target("value", module, name, binding)

    def _may_rebind(self, module: str, name: str, binding: Binding, outline: Outline) -> bool:
        """Whether a star import after its binding may give `name` another value; nobody calls something else ``np``."""
        if binding.kind == "import" and "." not in str(binding.detail):
            return False
        public: dict[str, None] = {}
        for star in outline.stars[outline.before.get(name, 0) :]:
            self._public(module, star, public, set())
        return name in public or any(other.startswith("*") for other in public)

    def _follow_import(
        self, module: str, name: str, child: str | None, rest: tuple[str, ...], seen: frozenset[tuple[str, str]]
    ) -> Target | None:
        found = self._find(module, name, seen)
        if found is None:
            return None
        if child is not None and found != Target("module", child):
            # the submodule or what the package binds, depending on the order of imports; but a name that is imported
            # from that very submodule is bound after it
            if self._module(module, name.rpartition(".")[0]) != child:
                return None
            if rest and found.kind in ("function", "several"):  # of the module, where the import system was asked
                member = self._follow(child, rest, seen)
                return member if member is not None and member.kind in ("function", "class", "several") else None
        if not rest:
            return found
        if found.kind == "module":
            return self._follow(found.module, rest, seen)
        if found.kind == "outside":
            return Target("outside", "", ".".join((found.name, *rest)))
        if found.kind == "several":
            return Target("several", found.module, ".".join((found.name, *rest)))
        return Target("function", found.module, ".".join((found.name, *rest))) if found.kind == "class" else None

    def _child(self, module: str, name: str) -> str | None:
        """The submodule `name` of a package."""
        if not module.endswith((os.sep, os.sep + "__init__.py")):
            return None
        directory = os.path.dirname(module)
        return self.modules.child(directory, name, self.places)
