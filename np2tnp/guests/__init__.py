"""Options that live in folders of their own: the list of them, and their values. Deleting a folder removes an option.

What such an option changes is asked of it: its name stands in its folder alone. ``docs/dev/how-to/add-an-option.md``.
"""

from __future__ import annotations

from dataclasses import dataclass

from np2tnp.guests.guest import Guest
from np2tnp.guests.random_tf import RANDOM_TF, RandomTf

__all__ = ["DEFAULTS", "GUESTS", "Guest", "Values", "guest_choices", "words_of_docs"]


@dataclass(frozen=True)
class Values(
    RandomTf,
):
    """What the user chose of each: a part of ``Config``."""


DEFAULTS = Values()
#: In the order of ``--help``.
GUESTS: tuple[Guest, ...] = (
    RANDOM_TF,
)  # fmt: skip


def guest_choices() -> dict[str, tuple[str, ...]]:
    """Field of `Values` → the words that it takes; nothing of switches."""
    return {guest.name: guest.choices for guest in GUESTS if guest.choices}


def words_of_docs(code: str, part: str) -> str:
    """What guests add to a part (``does``, ``safety``) of the page of a code; begins with a blank, or is empty."""
    return "".join(f" {guest.docs[code, part]}" for guest in GUESTS if (code, part) in guest.docs)
