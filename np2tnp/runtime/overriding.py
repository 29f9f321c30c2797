"""Whether an object's methods are those that the calls of a migrated method were looked at with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from np2tnp.runtime.base.errors import UnverifiedError
from np2tnp.runtime.base.looking import is_of, own_dict


class Methods:
    """The methods of its object that one migrated method calls, by name.

    They are those of the class that defines it, what that inherits included, or of a subclass in the same module: all
    that was known when the calls were rewritten.
    """

    def __init__(self, function: Callable[..., Any], names: tuple[str, ...]) -> None:
        self._function = function
        self._owner = function.__qualname__.rpartition(".")[0]
        self._names = names
        self._looked_at: dict[type, str] = {}  #: by class, why it is refused; empty where it is not

    def check(self, receiver: Any) -> None:
        """UnverifiedError for an object, or a class, that has another method in place of one of them."""
        of = receiver if is_of(receiver, type) else type(receiver)
        why = self._looked_at.get(of)
        if why is None:
            why = self._looked_at[of] = self._difference(of)
        if not why and of is not receiver:
            held = own_dict(receiver)
            why = next((f"the object has its own .{name}" for name in self._names if name in held), "")
        if why:
            raise UnverifiedError(
                f"{self._function.__qualname__}: {why}, which was not known when calls were rewritten"
            )

    def _difference(self, of: type) -> str:
        module = self._function.__module__
        line = of.__mro__
        owner = next((it for it in line if it.__qualname__ == self._owner and it.__module__ == module), None)
        if owner is None:
            return f"it is a method of {self._owner}, and {of.__qualname__} is none"
        for name in self._names:
            expected = next((it for it in owner.__mro__ if name in vars(it)), None)
            actual = next((it for it in line if name in vars(it)), None)
            known = actual is not None and actual.__module__ == module and "<locals>" not in actual.__qualname__
            if actual is None or not (actual is expected or (known and issubclass(actual, owner))):
                return f"{of.__qualname__} has its own .{name}()"
        return ""
