"""The sentences that every report for people ends with."""

from __future__ import annotations

from collections import Counter

from np2tnp.config import Config
from np2tnp.model import Finding, Region, RegionState, Run, Verdict, line_in

_MOST_LINES, _MOST_PLACES = 6, 3
_DECORATOR = "TNP405"
_CALLEES = "[tool.np2tnp.callees]"
_UNTRACEABLE, _COMES_TO = "TNP206", "() comes to "  #: what looks at frames, behind a callee
#: What is said of one function, and of several, that are best left in NumPy: by the reason.
_BEST_LEFT = {
    "loops": (
        "function has loops over single parts that nothing replaces",
        "functions have loops over single parts that nothing replaces",
    ),
    "objects": ("function works on objects in arrays", "functions work on objects in arrays"),
    "masked": (
        "function works on masked arrays, or on another subclass of ndarray",
        "functions work on masked arrays, or on other subclasses of ndarray",
    ),
    "units": ("function works on values with units", "functions work on values with units"),
    "caught": (
        "function catches whatever array work may raise, and reads it",
        "functions catch whatever array work may raise, and read it",
    ),
    "little": (
        "function only arranges arrays, or does next to nothing with them",
        "functions only arrange arrays, or do next to nothing with them",
    ),
    "several": (
        "function has four or more different things in its way",
        "functions have four or more different things in their way",
    ),
    "plots": ("function draws plots", "functions draw plots"),
}
UNKNOWN = "TNP010"  #: what may be work on arrays, for all that is known


def shown(run: Run, config: Config) -> list[Finding]:
    """The findings to show: one for each function that does not migrate, and what was asked for besides.

    What one decorator does to many functions is one fact, and so is what nobody knows of one callee, and one place
    that looks at the frames of its callers, however many of them come to it.
    """
    found: list[Finding] = []
    told: set[str] = set()
    for report in run.reports:
        own = config.of_file(report.path)
        for finding in report.findings:
            if _is_wanted(finding, own):
                fact = _fact(finding) if finding.decides and not own.verbose else ""
                if fact and not own.selects(finding.code):
                    if fact in told:
                        continue
                    told.add(fact)
                found.append(finding)
    return found


def _fact(finding: Finding) -> str:
    """What is to be said once, of however many functions; empty where it is about one function alone."""
    if finding.code == _DECORATOR:
        return finding.message
    return finding.message.partition(_COMES_TO if finding.code == _UNTRACEABLE else _CALLEES)[2]


def _is_wanted(finding: Finding, config: Config) -> bool:
    asked = config.verbose or config.selects(finding.code) or is_failing(finding, config)
    return asked or (finding.decides and not is_spared(finding, config)) or finding.code.startswith("TNP9")


def is_spared(finding: Finding, config: Config) -> bool:
    """Whether it is only counted: nobody can do much about it, or it is about a test, which is the reference."""
    return bool(finding.left) or config.is_test(finding.path)


def is_failing(finding: Finding, config: Config) -> bool:
    """Whether the run fails because of it. Of a blocked function, the first thing in its way counts."""
    counts = finding.verdict is not Verdict.BLOCK or (finding.decides and not is_spared(finding, config))
    if counts and finding.verdict.value in config.fail_on:
        return True
    return config.fail_on_selected and config.selects(finding.code)


def verdict_said(finding: Finding) -> str:
    """The verdict as people read it: of what decides a function's fate, that fate."""
    if finding.code.startswith("TNP90"):
        return "error"
    if finding.decides:
        return "blocked" if finding.verdict is Verdict.BLOCK else "kept"
    return finding.verdict.value


def told(finding: Finding) -> str:
    """The message, with the function whose fate it decides, and all its lines."""
    stays = f"{finding.region} stays NumPy: " if finding.decides else ""
    others = [str(line_in(finding.cell, line)) for line in finding.lines if line != finding.span.line]
    then = f"; then {finding.then}" if finding.then else ""
    if not others:
        return f"{stays}{finding.message}{then}"
    more = f", and {len(others) - _MOST_LINES} more" if len(others) > _MOST_LINES else ""
    word = "lines" if len(others) > 1 else "line"
    return f"{stays}{finding.message} (also {word} {', '.join(others[:_MOST_LINES])}{more}){then}"


def needed(finding: Finding) -> str:
    """What follows a finding that ``--unsafe`` takes on trust: of what blocks, that is one way out of several."""
    return ", or trust it with --unsafe" if finding.verdict is Verdict.BLOCK else " (needs --unsafe)"


def share(part: int, whole: int) -> str:
    """A percentage that says 0 % and 100 % only when it means none and all."""
    if not whole:
        return "-"
    percent = round(100 * part / whole)
    if percent == 0 and part:
        return "<1 %"
    if percent == 100 and part < whole:
        return ">99 %"
    return f"{percent} %"


def totals(run: Run, config: Config) -> list[str]:
    """What a run comes to, line by line; never "all clear" where something could not be resolved or read."""
    summary = run.summary
    lines = [f"{count(summary.files, 'file')}, {summary.files_with_numpy} using NumPy"]
    states = function_states(run)
    idle = sum(map(is_idle, _functions(run)))
    migrated = states[RegionState.MIGRATED]
    can = "are migrated, or can be" if migrated else "can be migrated"
    if summary.calls:
        lines.append(
            f"NumPy calls and operators: {summary.calls_convertible} of {summary.calls} {can}"
            f" ({share(summary.calls_convertible, summary.calls)})"
        )
    convertible, kept, blocked = (
        states[state] for state in (RegionState.CONVERTIBLE, RegionState.KEPT, RegionState.BLOCKED)
    )
    number = migrated + convertible + kept + blocked
    if number:
        done = f"{migrated} of {number} are migrated ({share(migrated, number)}), {convertible} more can be,"
        ready = f"{convertible} of {number} can be migrated ({share(convertible, number)}),"
        lines.append(
            f"Functions: {done if migrated else ready}"
            f" {kept} kept in NumPy, {blocked} blocked" + (f"; {idle} more with nothing to migrate" if idle else "")
        )
    outside = sum(region.calls for report in run.reports for region in report.regions if _is_top_level(region))
    if outside:
        hint = " (--top-level migrates scripts)" if any(not report.cells for report in run.reports) else ""
        lines.append(f"Outside of functions: {outside} of these calls stay in NumPy{hint}")
    lines += _in_the_way(run)
    if summary.unresolved:
        lines.append(
            f"Unresolved: {count(summary.unresolved, 'line')} may use NumPy in a way that could not be resolved"
            f" ({unresolved_places(run)})"
        )
    if places := undecided_places(run):
        lines.append(
            f"Undecided ({UNKNOWN}): {count(len(places), 'function')} may work on arrays, and nothing says so"
            f" ({_some(places)}); annotate them (x: np.ndarray)"
        )
    lines += _not_shown(run, config)
    if summary.errors:
        lines.append(f"Errors: {count(summary.errors, 'file')} could not be worked on")
    lines += run.notes
    lines += [f"Skipped: {words}" for words in run.skipped]
    if is_clear(run):
        lines.append(clear_words(run))
    return lines


def function_states(run: Run) -> Counter[RegionState]:
    """How many functions there are of each state, without the modules' top levels and those with nothing to migrate."""
    return Counter(region.state for region in _functions(run) if not is_idle(region))


def states_said(run: Run) -> str:
    """What becomes of the functions of a run, and of the top level of scripts where that migrates."""
    states = function_states(run)
    said = f"{states[RegionState.CONVERTIBLE]} can be migrated"
    if states[RegionState.MIGRATED]:
        said += f", {states[RegionState.MIGRATED]} migrated already"
    said += f", {states[RegionState.KEPT]} kept in NumPy, {states[RegionState.BLOCKED]} blocked"
    top = [region for report in run.reports for region in report.regions if region.qualname == "<module>"]
    scripts = sum(region.state is RegionState.CONVERTIBLE for region in top)
    return said + (f"; of {count(scripts, 'script')} the top level, too" if scripts else "")


#: What is said of such a function.
NOTHING = "nothing in it is work for TensorFlow"


def is_idle(region: Region) -> bool:
    """Whether a function stays as it is because nothing in it is work for TensorFlow."""
    return region.state is RegionState.KEPT and not region.reasons


def _functions(run: Run) -> list[Region]:
    return [region for report in run.reports for region in report.regions if region.qualname != "<module>"]


def unresolved_places(run: Run) -> str:
    """Where what could not be resolved stands; the first of them, if they are many."""
    return _some([f"{report.path}:{report.place(line)}" for report in run.reports for line in report.unresolved])


def undecided_places(run: Run) -> list[str]:
    """The functions without anything that is known to be an array, and with something that may be one."""
    places: dict[tuple[str, str], str] = {}
    for report in run.reports:
        plain = {region.qualname for region in report.regions if region.state is RegionState.PLAIN}
        for finding in report.findings:
            if finding.code == UNKNOWN and finding.region in plain:
                places.setdefault((report.path, finding.region), f"{report.path}:{report.place(finding.span.line)}")
    return list(places.values())


def _some(places: list[str]) -> str:
    return ", ".join([*places[:_MOST_PLACES], *(["..."] if len(places) > _MOST_PLACES else [])])


def _not_shown(run: Run, config: Config) -> list[str]:
    """What is known and not shown: what np2tnp does itself, and what options and comments hide."""
    found = [finding for report in run.reports for finding in report.findings]
    told = shown(run, config)
    counted = [finding for finding in set(found).difference(told) if finding.decides]
    tests = [it for it in counted if it.left == "test" or config.of_file(it.path).is_test(it.path)]
    left = [finding for finding in set(counted).difference(tests) if finding.left]
    why = Counter(finding.left for finding in left)
    once = set(counted).difference(tests, left)
    alike = [it for it in once if it.code == _DECORATOR]
    of_frames = sum(it.code == _UNTRACEABLE and _COMES_TO in it.message for it in once)
    of_callees = len(once) - len(alike) - of_frames
    compiled = [finding for finding in left if finding.left == "native"]
    others = len(found) - len(told) - len(left) - len(tests) - len(once)
    hidden = run.summary.hidden - run.summary.known
    lines = (
        [f"Not shown: {count(others, 'finding')} about what np2tnp does itself, and costs (-v shows them)"]
        if others
        else []
    )
    for reason, words in _BEST_LEFT.items():
        if number := why[reason]:
            said = words[0] if number == 1 else words[1]
            lines.append(f"Best left in NumPy: {number} {said} (-v shows them)")
    if alike:
        where = count(len({finding.path for finding in alike}), "file")
        word = "function stays" if len(alike) == 1 else "functions stay"
        lines.append(f"Decorators: {len(alike)} more {word} NumPy for the same ones in {where} (-v shows them)")
    if of_callees:
        word = "function stays" if of_callees == 1 else "functions stay"
        lines.append(f"Callees: {of_callees} more {word} NumPy for the same ones (-v shows them)")
    if of_frames:
        word = "function comes" if of_frames == 1 else "functions come"
        lines.append(f"Frames: {of_frames} more {word} to the same calls that look at callers (-v shows them)")
    if unseen := why["unseen"]:
        word = "function hands" if unseen == 1 else "functions hand"
        lines.append(
            f"Unseen code: {unseen} {word} what may be arrays to code that nobody can see, or share them with it"
            " (-v shows them)"
        )
    if compiled:
        where = count(len({finding.path for finding in compiled}), "file")
        word = "function is" if len(compiled) == 1 else "functions are"
        lines.append(
            f"Best left as native code: {len(compiled)} {word} compiled by numba or the like in {where} (-v shows them)"
        )
    if tests:
        where = count(len({finding.path for finding in tests}), "file")
        word = "function stays" if len(tests) == 1 else "functions stay"
        lines.append(f"Tests: {len(tests)} {word} NumPy in {where} of tests, which are the reference (-v shows them)")
    if hidden:
        lines.append(f"Hidden: {count(hidden, 'finding')}, by options or comments")
    return lines


def _is_top_level(region: Region) -> bool:
    return region.qualname == "<module>" and region.state is RegionState.KEPT


def _in_the_way(run: Run) -> list[str]:
    """The codes that block most regions, if any: what to look at first."""
    regions = (r for report in run.reports for r in report.regions if r.state is RegionState.BLOCKED)
    codes = Counter(code for r in regions for code in {reason.partition(" ")[0] for reason in r.reasons})
    told = [f"{code} in {number}" for code, number in sorted(codes.items(), key=lambda item: (-item[1], item[0]))]
    if not told:
        return []
    rest = ", ..." if told[5:] else ""
    return [f"In the way (functions): {', '.join(told[:5])}{rest}; see np2tnp explain {told[0].partition(' ')[0]}"]


def is_clear(run: Run) -> bool:
    """Whether nothing at all is in the way, and nothing was left unread or unknown."""
    summary = run.summary
    unknown = any(finding.code == UNKNOWN for report in run.reports for finding in report.findings)
    return not (
        summary.unresolved
        or unknown
        or summary.errors
        or summary.hidden
        or run.skipped
        or not summary.files
        or summary.regions.get(RegionState.BLOCKED.value)
        or summary.regions.get(RegionState.KEPT.value)
        or (summary.files_with_numpy and summary.calls_convertible < summary.calls)
    )


def clear_words(run: Run) -> str:
    """What a run says that ``is_clear``: what was looked at, too."""
    if not run.summary.calls:
        return f"No calls of NumPy found in {count(run.summary.files, 'file')}."
    number = sum(amount for state, amount in function_states(run).items() if state is not RegionState.PLAIN)
    looked = f"{count(number, 'function')} with {count(run.summary.calls, 'call')} of NumPy"
    migrated = "are migrated, or can be" if function_states(run)[RegionState.MIGRATED] else "can be migrated"
    return f"All clear: all of {looked} in {count(run.summary.files, 'file')} {migrated}."


def statistics(run: Run, config: Config) -> list[tuple[str, int, str]]:
    """(code, how often, an example's message) for each code, most frequent first."""
    counts: dict[str, int] = {}
    examples: dict[str, str] = {}
    for finding in shown(run, config):
        counts[finding.code] = counts.get(finding.code, 0) + 1
        examples.setdefault(finding.code, finding.message)
    return sorted(
        ((code, number, examples[code]) for code, number in counts.items()), key=lambda row: (-row[1], row[0])
    )


def count(number: int, noun: str) -> str:
    """``1 file``, ``2 files``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def blocked_regions(run: Run) -> list[tuple[str, Region]]:
    """(path, region) of all that ``rewrite`` leaves alone although there is NumPy in it."""
    return [
        (report.path, region)
        for report in run.reports
        for region in report.regions
        if region.state in (RegionState.BLOCKED, RegionState.KEPT)
    ]
