"""What the exceptions of the original say about its arguments."""

from __future__ import annotations

import re

#: What an exception of the original teaches: kinds to try more, kinds to try less.
_LESSONS = tuple(
    (re.compile(pattern), frozenset(more.split()), frozenset(less.split()))
    for pattern, more, less in (
        (r"used as indices must be of integer|indices must be integers|valid indices", "integers int", ""),
        (r"cannot be interpreted as an integer|expected an integer|slice indices must be", "int", ""),
        (r"Cannot cast (array data|ufunc).* to dtype\('(u?int|bool)", "", "integers image mask grid colour int"),
        (r"Cannot cast (array data|ufunc).* from dtype\('float", "integers", ""),
        (
            r"no len\(\)|has no attribute '(shape|ndim|size|T|dtype|astype|sum|mean|copy)'|is not subscriptable",
            "vector matrix",
            "",
        ),
        (
            r"too many indices|not enough values to unpack|axis 1 is out of bounds|must be (square|two|2)",
            "matrix square points",
            "",
        ),
        (r"too many values to unpack \(expected 2", "couple places", "cube colour"),
        (r"too many values to unpack \(expected 3", "triple points", "colour"),
        (r"too many values to unpack \(expected 4", "four", "cube colour"),
        (r"enough values to unpack \(expected 3|subscripts string contains too many", "cube", ""),
        (r"enough values to unpack \(expected 4", "batch kernels", ""),
        (r"too many values to unpack", "vector matrix", "cube colour"),
        (r"cross product|shapes? .*\(3,\)", "triple points", ""),
        (r"shapes? .*\(2,\)", "couple places", ""),
        (r"is not callable", "callable", ""),
        (
            r"can only convert an array of size 1|only (length-1|0-dimensional) arrays|truth value of an array",
            "int float",
            "",
        ),
        (r"'NoneType'", "", "none default"),
    )
)

_STEP, _MOST, _LEAST = 1.15, 8.0, 0.1


class Lessons:
    """How much more, or less, likely a kind of argument has become by what was raised so far."""

    def __init__(self) -> None:
        self._weights: dict[str, float] = {}

    def weight(self, kind: str) -> float:
        """The factor for `kind`; 1 where nothing was learnt."""
        return self._weights.get(kind, 1.0)

    def learn(self, message: str) -> None:
        """Take an exception's text into account."""
        for pattern, more, less in _LESSONS:
            if pattern.search(message):
                for kind in more:
                    self._weights[kind] = min(_MOST, self.weight(kind) * _STEP)
                for kind in less:
                    self._weights[kind] = max(_LEAST, self.weight(kind) / _STEP)
