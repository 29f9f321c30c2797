"""The command line: arguments → Config → one call → exit status.

Only what every command needs is imported here; ``check`` over files without NumPy starts as fast as Python does.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from np2tnp import __version__, importing, options
from np2tnp.config import CHOICES, Config, ConfigError, did_you_mean, load
from np2tnp.terminal import (
    BROKEN_PIPE,
    CLEAN,
    ERROR,
    INTERRUPTED,
    OutputError,
    close_stdout,
    print_bytes,
    print_exactly,
    say,
)

COMMANDS = {
    "migrate": "take a program all the way: check, run, verify, time, rewrite, test, report",
    "check": "flag what stands between NumPy code and tensorflow.experimental.numpy",
    "rewrite": "rewrite what can be rewritten: prints a diff, or --apply",
    "verify": "run original and rewritten functions on the same inputs and compare",
    "profile": "time NumPy against TensorFlow: the hot functions of a program, or one function",
    "probe": "measure NumPy against the installed TensorFlow, for the catalog",
    "report": "write one HTML page of what check, profile and verify found",
    "baseline": "write down what is found, so that check tells of what is new only",
    "config": "show the settings that count for a file, and where each comes from",
    "server": "serve editors: what check finds while one types (language server)",
    "doctor": "say which versions and devices are here and whether the GPU is usable",
    "explain": "explain a code such as TNP101",
    "rules": "list all codes",
    "api": "say what np2tnp knows about a NumPy function",
}

#: Commands for the people who make np2tnp.
_OURS = ("probe",)

#: Command → module whose ``add_arguments`` adds its own options.
_ARGUMENTS = {
    "check": "np2tnp.commands.check",
    "rewrite": "np2tnp.commands.rewrite",
    "report": "np2tnp.commands.report",
    "baseline": "np2tnp.commands.baseline",
    "config": "np2tnp.commands.show_config",
    "doctor": "np2tnp.commands.doctor",
    "api": "np2tnp.commands.api",
}
#: Command → module with ``run``, for those that need NumPy and TensorFlow when they run.
_HEAVY = {
    "migrate": "np2tnp.commands.migrate",
    "verify": "np2tnp.commands.verify",
    "profile": "np2tnp.commands.profile",
    "doctor": "np2tnp.commands.doctor",
    "probe": "np2tnp.commands.probe",
    "server": "np2tnp.commands.server",
}
#: How options and arguments are shown that take files, or directories.
_FILES = ("FILE", "PATH", "DIR", "RESULT")
#: Module that is missing → extra that brings it.
_EXTRAS = {
    "numpy": "tf",
    "tensorflow": "tf",
    "matplotlib": "profile",
    "keras": "tf",
    "pygls": "lsp",
    "lsprotocol": "lsp",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command line (``sys.argv`` by default) and returns its exit status; never raises for what users do."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if sys.stdout is None:  # it was closed (`>&-`): the exit status is all that is wanted
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 # for the rest of the process
    before = list(sys.path)
    sys.path[:] = importing.path_without_projects(arguments)  # whoever calls this may have a project on it
    try:
        status = _main(arguments)
        print_bytes(b"")
    except BrokenPipeError:
        # Whoever read our output has seen enough. Python would complain again when it closes stdout.
        close_stdout()
        return BROKEN_PIPE
    except OutputError as error:
        say(f"standard output cannot be written: {error}")
        close_stdout()
        return ERROR
    except KeyboardInterrupt as error:
        say(": ".join(["interrupted", *map(str, error.args)]))
        return INTERRUPTED
    except ConfigError as error:
        say(str(error))
        return ERROR
    except SystemExit as error:
        return error.code if isinstance(error.code, int) else ERROR if error.code else CLEAN
    except Exception as error:
        if _was_interrupted(error):
            say("interrupted")
            return INTERRUPTED
        if isinstance(error, FileNotFoundError) and not _has_directory():
            say("the current directory is not there any more")
            return ERROR
        # Python's own exit status for this is 1, which says that there are findings.
        import traceback

        traceback.print_exc()
        say("this is a bug in np2tnp: please report it, with the lines above")
        return ERROR
    finally:
        sys.path[:] = before
    return status


def _has_directory() -> bool:
    try:
        os.getcwd()
    except OSError:
        return False
    return True


def _was_interrupted(error: BaseException | None) -> bool:
    """Whether Ctrl-C is behind it: Python before 3.12 makes a RuntimeError of it while a class is made (an import)."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__
    return error is not None


def _main(arguments: list[str]) -> int:
    command, rest = _split(arguments)
    if command is None:
        return _without_command(rest)
    if command == "report":
        return _write_report(rest)
    if command in ("check", "rewrite"):
        return _run_analysis(command, rest)
    if command in _HEAVY:
        return _run_heavy(command, rest)
    if command == "api":
        return _run_api(rest)
    if command == "baseline":
        from np2tnp.commands import baseline

        parsed = _parser(command).parse_intermixed_args(rest)
        return baseline.run(parsed, _config(parsed, parsed.paths or ["."]))
    if command == "config":
        return _run_config(rest)
    from np2tnp.commands import explain

    parsed = _parser(command).parse_intermixed_args(rest)
    return explain.list_rules() if command == "rules" else explain.explain(parsed.name)


def _run_api(rest: list[str]) -> int:
    from np2tnp.commands import api

    parser = _parser("api")
    parsed = parser.parse_intermixed_args(rest)
    if (parsed.name is None) is (parsed.table is None):
        parser.error("give a NAME, or --table for all of them")
    return api.run(parsed, _config(parsed, ["."]))


def _run_config(rest: list[str]) -> int:
    from np2tnp.commands import show_config

    parsed = _parser("config").parse_intermixed_args(rest)
    return show_config.run(parsed, _config(parsed, [parsed.file]))


def _split(arguments: list[str]) -> tuple[str | None, list[str]]:
    """The command and all other arguments, wherever the command stands among the options and paths."""
    for index, word in enumerate(arguments):
        if word == "--":
            break
        if word in COMMANDS and not (index and _takes_value(word, arguments[index - 1])):
            return word, arguments[:index] + arguments[index + 1 :]
    return None, arguments


def _takes_value(command: str, word: str) -> bool:
    """Whether ``word`` is an option of ``command`` that the next word belongs to."""
    return word.startswith("-") and any(word in item.option_strings and item.nargs != 0 for item in _options(command))


def _options(command: str) -> list[argparse.Action]:
    return _parser(command)._actions


def _without_command(rest: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="np2tnp",
        usage="np2tnp COMMAND [OPTIONS] [PATHS]",
        description="Takes NumPy code to the GPU through tensorflow.experimental.numpy.",
        epilog="commands:\n"
        + "".join(f"  {name:<9} {text}\n" for name, text in COMMANDS.items() if name not in _OURS)
        + "\n`np2tnp COMMAND --help` shows a command's options.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"np2tnp {__version__}")
    words = "print a script for this shell, by which it completes commands and options"
    parser.add_argument("--print-completion", choices=("bash", "zsh", "tcsh"), help=words)
    parser.add_argument("words", nargs="*", help=argparse.SUPPRESS)
    parsed = parser.parse_known_args(rest)[0]
    if parsed.print_completion:
        return _print_completion(parsed.print_completion)
    words = parsed.words
    if words:
        raise ConfigError(f"unknown command `{words[0]}`{did_you_mean(words[0], COMMANDS)} (see np2tnp --help)")
    parser.print_help(sys.stderr)
    return ERROR


def _print_completion(shell: str) -> int:
    try:
        import shtab
    except ModuleNotFoundError:
        say("--print-completion needs shtab; install it with: pip install 'np2tnp[completion]'")
        return ERROR
    top = argparse.ArgumentParser(prog="np2tnp")
    commands = top.add_subparsers()
    for name in (name for name in COMMANDS if name not in _OURS):
        parser = commands.add_parser(name, parents=[_parser(name)], add_help=False, help=COMMANDS[name])
        for action in parser._actions:
            if action.dest in CHOICES:
                action.choices = CHOICES[action.dest]
            elif str(action.metavar).startswith(_FILES):
                vars(action)["complete"] = shtab.FILE
    print_exactly(shtab.complete(top, shell))
    return CLEAN


# --- check and rewrite


def _run_analysis(command: str, rest: list[str]) -> int:
    parser = _parser(command)
    end = rest.index("--") if "--" in rest else len(rest)
    parsed = parser.parse_intermixed_args(rest[:end])
    paths: list[str] = [*parsed.paths, *rest[end + 1 :]]  # what looks like an option is a path behind `--`
    if not paths:
        if command == "rewrite" and not parsed.recover:
            parser.error("name the files or directories to rewrite")
        paths = ["."]
    config = _config(parsed, paths)
    stdin = None
    if "-" in paths:
        stdin = (parsed.stdin_filename, sys.stdin.buffer.read())
        paths = [path for path in paths if path != "-"]
    if stdin is None and not any(map(os.path.lexists, paths)):
        raise ConfigError(f"{', '.join(paths)}: no such file or directory")
    if command == "check":
        from np2tnp.commands import check

        return check.run(parsed, config, paths, stdin)
    from np2tnp.commands import rewrite

    return rewrite.run(parsed, config, paths, stdin)


def _add_path_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("paths", nargs="*", metavar="PATH", help="files and directories; - is standard input")
    parser.add_argument("--stdin-filename", metavar="NAME", default="<stdin>", help="what to call standard input")
    parser.add_argument("--no-cache", action="store_true", help="look at all files anew")


# --- commands of other parts


def _write_report(rest: list[str]) -> int:
    from np2tnp.commands import report as reporting
    from np2tnp.report.progress import Progress

    parsed = _parser("report").parse_intermixed_args(rest)
    if not (parsed.paths or parsed.profiles or parsed.verifications):
        parsed.paths = ["."]
    config = _config(parsed, parsed.paths or ["."])
    with Progress(config.quiet) as progress:
        written = reporting.write_report(parsed, config, progress)
    if not config.quiet:
        print_exactly(f"wrote {written}\n")
    return CLEAN


def _run_heavy(command: str, rest: list[str]) -> int:
    import importlib

    program: list[str] | None = None
    if command in ("migrate", "profile", "verify") and "--" in rest:
        at = rest.index("--")
        rest, program = rest[:at], rest[at + 1 :]
    parser = _parser(command)
    parsed = parser.parse_intermixed_args(rest)
    if command == "verify" and parsed.file is None:
        parser.error("name the file to verify")
    if program is not None:
        parsed.program = program
    if command == "migrate" and not (parsed.paths and parsed.program):
        parser.error("name what may be rewritten, and after -- the program: np2tnp migrate src -- python train.py")
    named = getattr(parsed, "file", None) or getattr(parsed, "target", None) or "."
    config = _config(parsed, getattr(parsed, "paths", None) or [str(named)], foreign=frozenset({"device"}))
    if command != "verify":
        config = replace(config, top_level=False)  # functions are measured
    try:
        run: Callable[[argparse.Namespace, Config], int] = importlib.import_module(_HEAVY[command]).run
        return run(parsed, config)
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        if missing not in _EXTRAS:
            raise
        extra = _EXTRAS[missing]
        say(f"np2tnp {command} needs {missing}; install it with: pip install 'np2tnp[{extra}]'")
        return ERROR


# --- helpers


def _parser(command: str) -> argparse.ArgumentParser:
    parser = options.Parser(command, COMMANDS[command])
    parser.add_argument("--version", action="version", version=f"np2tnp {__version__}")
    words = "read the configuration from this file, or set an option of it for this run (may be repeated)"
    parser.add_argument("--config", action="append", default=[], metavar="FILE|KEY=VALUE", help=words)
    parser.add_argument("--isolated", action="store_true", help="read no configuration")
    parser.add_argument("-q", "--quiet", action="store_true", help="say only what was asked for")
    parser.add_argument("-v", "--verbose", action="store_true", help="say everything")
    if command in ("check", "rewrite", "report", "config", "baseline"):
        options.add_selection(parser)
        options.add_emission(parser)
    elif command == "server":
        options.add_selection(parser)
    if command in ("check", "rewrite"):
        _add_path_options(parser)
    if command == "explain":
        parser.add_argument("name", metavar="CODE")
    elif command in options.OF_COMMANDS:
        options.OF_COMMANDS[command](parser)
    elif command in _ARGUMENTS:
        import importlib

        importlib.import_module(_ARGUMENTS[command]).add_arguments(parser)
    if command in _HEAVY and command != "probe":
        options.add_missing_emission(parser)
    if command == "verify":
        parser.add_argument("--top-level", action="store_true", default=None, help="run scripts, and compare that, too")
    return parser


def _config(parsed: argparse.Namespace, paths: list[str], foreign: frozenset[str] = frozenset()) -> Config:
    """The configuration file's options with those of the command line over them.

    foreign: names by which this command means something else.
    """
    from dataclasses import fields

    names = {item.name for item in fields(Config)}
    overrides: dict[str, Any] = {
        name: value
        for name, value in vars(parsed).items()
        if name in names and name not in foreign and value is not None
    }
    if getattr(parsed, "no_cache", False):
        overrides["cache"] = False
    if "baseline" in overrides:
        overrides["baseline"] = os.path.abspath(overrides["baseline"])
    if overrides.get("fail_on") == ["none"]:
        overrides["fail_on"] = []
    return load(paths, overrides, config=parsed.config, isolated=parsed.isolated)
