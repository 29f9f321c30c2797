"""What an option says of itself before anything is parsed: plain data, cheap to import."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields


@dataclass(frozen=True, slots=True)
class Guest:
    """An option that decides what is written, with all that np2tnp is to know of it."""

    values: type  #: the dataclass with its one field and the default, by keyword only; ``Values`` inherits it
    meaning: str  #: what it decides: for ``--help`` and for the schema of the configuration
    choices: tuple[str, ...] = ()  #: the words that it takes; empty: it is a switch
    in_memory: bool = False  #: commands that rewrite in memory (``verify``, ``profile``) take it, too
    is_measured: bool = True  #: what was measured under one value may only be rewritten under the same
    docs: Mapping[tuple[str, str], str] = field(default_factory=dict)  #: (code, part of its page) → a sentence more
    of_api: Callable[[str], str] = lambda name: ""  #: what ``api`` tells of a NumPy name, instead of its targets
    hooks: str = ""  #: the module whose ``HOOKS`` (`rules.base.Hooks`) are asked; imported with the rules

    @property
    def name(self) -> str:
        """The field of ``Config``: ``random`` for ``--random``."""
        (only,) = fields(self.values)
        return only.name
