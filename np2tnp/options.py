"""The options that several commands share, with what each one means, and those of commands that are heavy to import."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from np2tnp.config import CHOICES, Config, did_you_mean
from np2tnp.guests import GUESTS

_Number = TypeVar("_Number", int, float)

#: Option with a fixed set of values → what it decides. The default is read from Config.
MEANING = {
    "boundary": "what migrated functions take and give: ndarrays as before, or tensors",
    "state": "what attributes of objects hold from call to call: ndarrays as before, or tensors",
    "slow": "functions that eager TensorFlow would make much slower (element loops): keep them in NumPy, or convert",
    "on_unverified": "for arguments that cannot be vouched for: call the original, silently or warning, or raise",
    "enable_numpy_behavior": "when tensors get NumPy's behaviour: at the first call of a migrated function, at import, "
    "in the `__main__` block, or never (you do it)",
    "compile": "run each function as one tf.function, with staged loops, plain or by XLA; auto: by XLA what is hot on "
    "a GPU; hot: that with plain text alone; none: nothing",
    "runtime": "import np2tnp.runtime, or a copy of it that is put beside the rewritten code",
    "target_tensorflow": "whose measured facts decide",
    "target_numpy": "for which NumPy the code is written",
    "output_format": "how findings are written",
    **{guest.name: guest.meaning for guest in GUESTS},
}

#: Of a command that rewrites in memory: what decides the text.
EMITTED = (
    *("state", "slow", "on_unverified", "compile", "target_tensorflow", "target_numpy"),
    *(guest.name for guest in GUESTS if guest.in_memory),
)


#: Command → the options that most people use: what ``--help`` shows. ``--help-all`` shows all.
COMMON = {
    "check": "select ignore exclude changed-since baseline add-ignore output-format output-file fail-on statistics",
    "rewrite": "apply check only skip verify test confirmed interactive backup recover slow compile",
    "migrate": "apply test confirmed top output fresh compile",
    "verify": "original inputs timeout json compile float32 n",
    "profile": "top size arg device find-only output no-charts suite compile",
    "report": "profile verify output title exclude",
    "baseline": "baseline select exclude",
    "config": "json schema isolated",
}
_ALWAYS = "help help-all config quiet verbose"


class Parser(argparse.ArgumentParser):
    """One line for mistakes, with what was meant; help that fits on a screen."""

    def __init__(self, command: str, description: str) -> None:
        super().__init__(prog=f"np2tnp {command}", description=description, allow_abbrev=False)
        self._shown = set(f"{COMMON[command]} {_ALWAYS}".split()) if command in COMMON else set()
        if self._shown:
            self.add_argument("--help-all", action=_HelpAll, help="show all options")

    def error(self, message: str) -> NoReturn:
        """One line: the usage of a command fills a screen."""
        words = message.removeprefix("unrecognized arguments: ").split()
        unknown = next((word.partition("=")[0] for word in words if word.startswith("-")), "")
        if unknown and message.startswith("unrecognized"):
            message = f"unknown option {unknown}{did_you_mean(unknown, self._option_string_actions)}"
        self.exit(2, f"{self.prog}: {message} (see {self.prog} --help)\n")

    def format_help(self) -> str:
        """What most people need."""
        if not self._shown:
            return super().format_help()
        rare = [it for it in self._actions if it.option_strings and not self._shown & {*map(_bare, it.option_strings)}]
        usage = self.usage
        if "[OPTIONS]" not in (usage or ""):  # argparse sets a full one while it parses
            self.usage = self._short_usage()
        try:
            with _hidden(rare):
                return f"{super().format_help()}\n{self.prog} --help-all shows {len(rare)} more options.\n"
        finally:
            self.usage = usage

    def _short_usage(self) -> str:
        words = [f"{self.prog} [OPTIONS]"]
        for action in self._actions:
            if not action.option_strings:
                nargs = getattr(action, "save_nargs", action.nargs)  # what argparse hides while it parses
                words.append(
                    {"*": f"[{action.metavar} ...]", "?": f"[{action.metavar}]"}.get(str(nargs), str(action.metavar))
                )
        return " ".join(words)

    def format_all(self) -> str:
        """All options."""
        return super().format_help()


class _HelpAll(argparse.Action):
    def __init__(self, option_strings: list[str], dest: str, help: str) -> None:
        super().__init__(option_strings, argparse.SUPPRESS, nargs=0, default=argparse.SUPPRESS, help=help)

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        assert isinstance(parser, Parser)
        print(parser.format_all(), end="")
        parser.exit()


def _bare(option: str) -> str:
    return option.lstrip("-")


@contextmanager
def _hidden(actions: list[argparse.Action]) -> Iterator[None]:
    before = [action.help for action in actions]
    for action in actions:
        action.help = argparse.SUPPRESS
    try:
        yield
    finally:
        for action, text in zip(actions, before, strict=True):
            action.help = text


def at_least(least: _Number, above: bool = False) -> Callable[[str], _Number]:
    """For argparse: a number of the type of `least` that is not less; with `above`, that is more."""
    kind = type(least)

    def number(text: str) -> _Number:
        try:
            value = kind(text)
        except ValueError:
            value = None
        if value is None or not (value > least if above else value >= least):  # NaN is neither
            what = "a whole number" if kind is int else "a number"
            raise argparse.ArgumentTypeError(f"{text} is not {what} {'above' if above else 'of at least'} {least:g}")
        return value

    return number


def add_choice(parser: argparse._ActionsContainer, name: str) -> None:
    """Add ``--name`` for a field of Config that takes one of ``CHOICES[name]`` (Config itself refuses other words)."""
    default = getattr(Config(), name)
    parser.add_argument(
        "--" + name.replace("_", "-"),
        metavar="|".join(CHOICES[name]),
        help=f"{MEANING[name]} (default {default})",
    )


def add_selection(parser: argparse.ArgumentParser) -> None:
    """Which files, functions and codes."""
    group = parser.add_argument_group("what to look at")
    add = group.add_argument
    codes: dict[str, Any] = {"metavar": "CODES", "type": comma_separated, "action": "extend"}
    add(
        "--select",
        help="report these codes, and fail for them: prefixes, names, portability (default: why functions stay)",
        **codes,
    )
    add("--extend-select", help="these besides the default", **codes)
    add("--ignore", help="do not report these codes", **codes)
    globs: dict[str, Any] = {"metavar": "GLOBS", "type": comma_separated, "action": "extend"}
    add("--exclude", help="leave these files and directories out, instead of the default ones", **globs)
    add("--extend-exclude", help="leave these out, too", **globs)
    add("--force-exclude", action="store_true", default=None, help="leave them out even where they are named")
    add(
        "--no-respect-gitignore",
        dest="respect_gitignore",
        action="store_false",
        default=None,
        help="look at files that .gitignore names, too",
    )
    regions: dict[str, Any] = {"metavar": "FUNCTIONS", "type": comma_separated, "action": "extend"}
    add("--only", dest="only_regions", help="rewrite only these: NAME, Class.method or FILE::NAME, globs", **regions)
    add("--skip", dest="skip_regions", help="leave these functions as they are", **regions)
    add("-j", "--jobs", type=int, metavar="N", help="worker processes (default: as many as pay off)")


_ABOVE = "calls with fewer than N elements stay NumPy (default: 100000, and all calls where there is no GPU; 0: none)"


def add_emission(parser: argparse.ArgumentParser) -> None:
    """What the rewritten code is like. `check` takes these, too: its verdicts are those of `rewrite`."""
    group = parser.add_argument_group("what rewritten code is like (see docs/speed.md and docs/device.md)")
    for name in ("boundary", "state", "slow", "on_unverified", "compile", *(guest.name for guest in GUESTS)):
        add_choice(group, name)
    add = group.add_argument
    add("--above", type=int, metavar="N", help=_ABOVE)
    add("--device", metavar="DEVICE", help="where migrated functions work, such as /GPU:0")
    add("--float32", action="store_true", default=None, help="work in float32: faster on GPUs, changes values")
    add("--top-level", action="store_true", default=None, help="migrate the top level of scripts that nobody imports")
    add("--unsafe", action="store_true", default=None, help="trust code that cannot be seen to change nothing")
    add(
        "--numpy-names",
        metavar="NAMES",
        type=comma_separated,
        action="extend",
        help="names that stand for NumPy, such as xp",
    )
    for name in ("runtime", "enable_numpy_behavior", "target_tensorflow", "target_numpy"):
        add_choice(group, name)


def add_missing_emission(parser: argparse.ArgumentParser) -> None:
    """The options that decide what ``rewrite`` does, for commands that rewrite in memory and have not named them."""
    group = parser.add_argument_group("how it is rewritten")
    for name in EMITTED:
        add_choice(group, name)
    group.add_argument("--unsafe", action="store_true", default=None, help="with trust in code that cannot be seen")
    group.add_argument("--float32", action="store_true", default=None, help="in float32, compared as float32 rounds")


def comma_separated(text: str) -> list[str]:
    """The words of ``a, b,c``."""
    return [item.strip() for item in text.split(",") if item.strip()]


# --- The options of commands whose code imports NumPy: building the parser does not


def _add_verify(parser: argparse.ArgumentParser) -> None:
    """Add what ``verify`` understands to `parser`."""
    parser.usage = "np2tnp verify [OPTIONS] FILE [FUNCTION ...] [-- PROGRAM whose calls are recorded and used as well]"
    parser.add_argument(
        "file", metavar="FILE", nargs="?", help="the program: rewritten already, or still to be rewritten (in memory)"
    )
    parser.add_argument("functions", metavar="FUNCTION", nargs="*", help="only these: name, or Class.method")
    parser.set_defaults(program=[])
    parser.add_argument("--original", metavar="OLD.py", help="the original (default: the version of git's HEAD)")
    parser.add_argument("--inputs", metavar="F.npz", help="arrays named like the parameters, used as arguments as well")
    parser.add_argument(
        "-n", type=at_least(1), default=5, metavar="N", dest="count", help="inputs that EQUAL needs (default 5)"
    )
    parser.add_argument("--seed", type=at_least(0), default=0, help="of the generated inputs (default 0)")
    seconds: dict[str, Any] = {"type": at_least(0.0, above=True), "metavar": "SECONDS"}
    parser.add_argument("--timeout", default=10.0, help="for one call (default 10)", **seconds)
    parser.add_argument(
        "--budget", default=60.0, help="for one function: then what was seen so far decides (default 60)", **seconds
    )
    parser.add_argument(
        "--memory",
        type=at_least(64),
        default=4096,
        metavar="MIB",
        help="that one child process may take on top (default 4096)",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def _add_probe(parser: argparse.ArgumentParser) -> None:
    """Add what ``probe`` understands to `parser`."""
    parser.add_argument("--only", action="append", metavar="NAME", help="measure only these APIs, keep the other facts")
    parser.add_argument(
        "--part", choices=("all", "eager", "staged"), default="all",
        help="eager calls, or those in tf.function and under XLA of what is equal in eager mode (default: both)",
    )  # fmt: skip
    parser.add_argument(
        "--device", metavar="NAME", help="also measure eager calls there (default: the first GPU, if any)"
    )
    parser.add_argument("--diff", action="store_true", help="print what would change, write nothing")
    parser.add_argument(
        "--observations", type=Path, metavar="FILE", help="complete the observations in FILE instead of making all anew"
    )
    parser.add_argument("--facts", type=Path, metavar="FILE", help="the file to update (default: the catalog's own)")
    parser.add_argument("-j", "--jobs", type=int, default=min(2, os.cpu_count() or 1), help="child processes")


def _add_migrate(parser: argparse.ArgumentParser) -> None:
    """Add what only ``migrate`` understands."""
    parser.usage = "np2tnp migrate [OPTIONS] PATH... -- PROGRAM [ARGUMENTS]"
    add = parser.add_argument
    add("paths", nargs="*", metavar="PATH", help="the files and directories that may be rewritten")
    add("--apply", action="store_true", help="write the changes (default: print them as diffs)")
    add("--test", metavar="CMD", help="keep only the functions under which this command succeeds")
    add("--test-timeout", type=at_least(0.0, above=True), metavar="SECONDS", help="for one run of it")
    add(
        "--confirmed",
        metavar="RESULT.json",
        action="append",
        help="take the times of another machine: a result file of `np2tnp profile -- PROGRAM` (may be repeated)",
    )
    add("--top", type=at_least(1), default=10, metavar="N", help="how many hot functions (default 10)")
    add("--output", metavar="FILE", default="np2tnp-report.html", help="the page (default np2tnp-report.html)")
    add("--fresh", action="store_true", help="forget what an earlier run of this command found")
    parser.set_defaults(program=[])


def add_profile(parser: argparse.ArgumentParser) -> None:
    """Add what ``profile`` understands to `parser`."""
    parser.add_argument(
        "target",
        metavar="FILE:FUNCTION",
        nargs="?",
        help="what to time, as rewrite would emit it; or FILE:CLASS.METHOD",
    )
    parser.add_argument(
        "--top",
        type=at_least(1),
        default=10,
        metavar="N",
        help="of a program (after --): how many hot functions (default 10)",
    )
    parser.add_argument(
        "--find-only", action="store_true", help="run the program once and rank its functions; time nothing"
    )
    parser.add_argument(
        "--signatures",
        type=at_least(1),
        default=3,
        metavar="N",
        help="recorded arguments to time a function with (default 3)",
    )
    parser.add_argument(
        "--record-limit",
        type=at_least(1),
        default=256,
        metavar="MIB",
        help="of the arguments of one call (default 256)",
    )
    parser.add_argument("--suite", choices=("basics",), help="time five standard operations instead")
    parser.add_argument(
        "--size", metavar="n=LOW..HIGH", help="sizes on a log grid (n=1e3..1e7, n=1e3..1e6:7 for seven) or n=100,1000"
    )
    parser.add_argument(
        "--arg",
        action="append",
        default=[],
        metavar="NAME=EXPRESSION",
        help="an argument; the expression knows np, rng, the size's name and the arguments before it; "
        "a method's object is self=CLASS(...), or made from arguments that only its constructor has",
    )
    parser.add_argument("--original", metavar="OLD.py", help="the original program (default: as for verify)")
    parser.add_argument("--inputs", metavar="F.npz", help="arrays named like the parameters")
    parser.add_argument(
        "--device", default="all", metavar="cpu|gpu|all|CPU:1", help="where to run TensorFlow (default all)"
    )
    parser.add_argument(
        "--logical-cpus", type=at_least(1), default=1, metavar="N", help="split the CPU into N logical devices"
    )
    parser.add_argument(
        "--repeats",
        type=at_least(1),
        default=20,
        metavar="N",
        help="samples of each side a size (default 20; up to four times as many where they do not decide)",
    )
    parser.add_argument(
        "--budget",
        type=at_least(0.0, above=True),
        default=3.0,
        metavar="SECONDS",
        help="of samples a size and variant (default 3)",
    )
    parser.add_argument(
        "--min-effect", type=at_least(0.0), default=0.05, metavar="SHARE", help="smaller is SAME (default 0.05)"
    )
    parser.add_argument(
        "--timeout",
        type=at_least(0.0, above=True),
        default=120.0,
        metavar="SECONDS",
        help="for one size of one variant",
    )
    parser.add_argument(
        "--memory", type=at_least(0), default=0, metavar="MIB", help="that a child may take on top (default: no limit)"
    )
    parser.add_argument("--seed", type=at_least(0), default=0, help="of rng in the argument expressions")
    parser.add_argument(
        "--output", metavar="PATH", help="the result file (default np2tnp-profile.json); a folder with --suite"
    )
    parser.add_argument("--no-charts", action="store_true", help="write no PNG files")
    parser.add_argument(
        "--dtype", choices=("float32", "float64"), default="float32", help="of --suite (default float32)"
    )


#: Command → what adds its own options.
OF_COMMANDS = {"migrate": _add_migrate, "profile": add_profile, "verify": _add_verify, "probe": _add_probe}
