"""TNP9xx: what np2tnp says about files and about itself; no rule emits these codes."""

from __future__ import annotations

from np2tnp.rules.base import Doc, Severity, document

_SKIPPED = "Reports the place and goes on with the other files; exit status 2."


def _page(code: str, name: str, summary: str, why: str, does: str = _SKIPPED, bad: str = "", good: str = "") -> Doc:
    return Doc(code, name, summary, why, does, bad, good, "Nothing is written.", Severity.TOOL)


document(
    _page(
        "TNP901",
        "syntax-error",
        "The file is not Python that the parser understands.",
        "Nothing in it could be looked at.",
    ),
    _page(
        "TNP902",
        "undecodable-file",
        "The file's bytes are not text in the encoding that it declares.",
        "Guessing the encoding could change bytes that no rewrite is meant to touch.",
    ),
    _page(
        "TNP903",
        "python-2",
        "The file is written in Python 2.",
        "TensorFlow with NumPy 2 runs on Python 3.10 and newer only.",
    ),
    _page(
        "TNP904",
        "unreadable-file",
        "The file cannot be read or written: missing, not permitted, no regular file.",
        "Nothing in it could be looked at.",
    ),
    _page(
        "TNP905",
        "beyond-the-parser",
        "Parsing the file would take minutes, gigabytes or the process, or lose a part of its white space; or looking"
        " at it takes longer than file-timeout.",
        "Large and deeply nested files are generated data as a rule, which needs no migration. Of a long module that "
        "people wrote nothing is known: split it, or give it more time. A form feed "
        "in front of code, a lone carriage return, or the blanks of f'{x !r:5}' would be lost from lines that no "
        "rewrite is meant to touch: remove them.",
    ),
    _page(
        "TNP906",
        "analysis-failed",
        "np2tnp failed on the file, or took longer than file-timeout: a bug in np2tnp.",
        "Nothing is known about the file. Please report it, with the file.",
    ),
    _page(
        "TNP907",
        "self-check-failed",
        "A rewrite of the file was made and refused by np2tnp itself: a bug in np2tnp.",
        "A text that does not compile or that changes what it must not is worse than none. Please report it.",
        "Leaves the file as it is.",
    ),
    _page(
        "TNP908",
        "changed-meanwhile",
        "The file changed on disk while it was being rewritten.",
        "Writing would lose that change.",
        "Leaves the file as it is now.",
    ),
    _page(
        "TNP991",
        "useless-suppression",
        "A comment for np2tnp hides no finding, is not understood, has no end, or keeps no function.",
        "It stays in the code after its reason has gone, and will hide the next finding unseen.",
        "Reports the comment.",
        "import numpy as np  # np2tnp: ignore[TNP101]\n",
        "import numpy as np\n",
    ),
)
