"""What a loop carries in for a variable that has no value before its first iteration."""

from __future__ import annotations

from typing import Any


class Unassigned:
    """A name that has no value yet: whatever is done with it raises what Python raises for such a name."""

    def refuse(self, *_: Any) -> Any:
        raise UnboundLocalError("a variable that only a loop assigns is used, and the loop had no iteration")

    __bool__ = __str__ = __format__ = __iter__ = __len__ = __getitem__ = __array__ = __index__ = refuse
    __float__ = __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = refuse

    def __repr__(self) -> str:
        return "rt.unassigned"


unassigned = Unassigned()
