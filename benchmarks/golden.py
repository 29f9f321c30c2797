"""What np2tnp writes and says, as hashes: two lists of them show that a change of its code changes nothing of either.

Run it by ``tools/golden.sh``, which says how. A list has one line for each file, option set and kind of output:
``text`` is what ``rewrite`` makes of the file, ``report`` the JSON report of the same analysis, with all its findings.
``check`` says the same, but reads files by another parser: a set of its own, ``check``, has its reports.
"""

from __future__ import annotations

import argparse
import hashlib
import multiprocessing
import os
import subprocess
import sys
import time
import zipfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # the checkout that this file is in, whatever is installed

from np2tnp import pipeline  # noqa: E402
from np2tnp.config import Config  # noqa: E402
from np2tnp.report import to_json  # noqa: E402

SETS = {
    "default": Config(),
    "xla": Config(compile="xla"),
    "graph": Config(compile="graph"),
    "boundary-tensor": Config(boundary="tensor"),
    "state-tensor": Config(state="tensor"),
    "float32": Config(float32=True),
    "top-level": Config(top_level=True),
    "random-tf": Config(random="tf"),
    "slow-convert": Config(slow="convert"),
    "unverified-raise": Config(on_unverified="raise"),
}

#: The default options, but read as `check` reads.
CHECK = "check"

#: Wheels with Python alone, by exact version: 40,700 lines of classes, of functions, and of functions of scalars.
PACKAGES = ("ahrs==0.4.0", "mir_eval==0.8.2", "pymap3d==3.2.0")

#: (option set, kind of output, file) → SHA-256
Hashes = dict[tuple[str, str, str], str]


def download(cache: Path, packages: Sequence[str] = PACKAGES) -> list[Path]:
    """The packages' folders in `cache`, each with its Python files; what is not there is downloaded."""
    folders = []
    for package in packages:
        folder = cache / package.replace("==", "-")
        if not folder.is_dir():
            wheels = cache / "wheels" / folder.name
            command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
            subprocess.run([*command, "--only-binary=:all:", "--dest", str(wheels), package], check=True)
            (wheel,) = wheels.glob("*.whl")
            unpacked = folder.with_suffix(".unpacked")
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(unpacked, [name for name in archive.namelist() if name.endswith(".py")])
            unpacked.rename(folder)  # whole, or not there
        folders.append(folder)
    return folders


def hashes(name: str, folders: Sequence[Path]) -> tuple[Hashes, float]:
    """What np2tnp makes of the `folders` under the option set `name`, and how many seconds of CPU that took."""
    started = time.process_time()
    found: Hashes = {}

    def note(kind: str, path: str, text: str) -> None:
        found[name, kind, path] = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

    for folder in folders:
        os.chdir(folder.parent)  # paths in lists are the same wherever the folder lies
        options = Config() if name == CHECK else SETS[name]
        config = replace(options, root=str(folder), cache=False, jobs=1, respect_gitignore=False)
        run = (pipeline.check if name == CHECK else pipeline.rewrite)([folder.name], config)
        for report in run.reports:
            alone = pipeline.Run((report,), pipeline.summarize([report]))
            note("report", report.path, "".join(to_json.render(alone, config)))
        for change in run.changes:
            note("text", change.path, change.new_text)
    return found, time.process_time() - started


def write(out: Path, folders: Sequence[Path], sets: Sequence[str], jobs: int = 1) -> None:
    """Write the list; what there was in `out` of other sets stays."""
    known = read(out) if out.exists() else {}
    known = {key: value for key, value in known.items() if key[0] not in sets}
    with multiprocessing.get_context("spawn").Pool(jobs, maxtasksperchild=1) as pool:
        waiting = [(name, pool.apply_async(hashes, (name, folders))) for name in sets]
        for name, result in waiting:
            found, seconds = result.get()
            known |= found
            print(f"{name:<17} {_counts(found)}, {seconds:.0f} s of CPU", flush=True)
            lines = sorted("\t".join((*key, value)) for key, value in known.items())
            out.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    reports = {path: value for (name, kind, path), value in known.items() if (name, kind) == (CHECK, "report")}
    same = sum(known.get(("default", "report", path)) == value for path, value in reports.items())
    if reports:
        print(f"{same} of {len(reports)} reports of check are those of rewrite with the default options")


def read(path: Path) -> Hashes:
    """The list in the file at `path`."""
    found: Hashes = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        name, kind, file, value = line.split("\t")
        found[name, kind, file] = value
    return found


def differences(old: Hashes, new: Hashes) -> list[tuple[str, str, str]]:
    """What is in one list alone, or has another hash in the other one."""
    return sorted(key for key in old.keys() | new.keys() if old.get(key) != new.get(key))


def compare(old: Hashes, new: Hashes) -> int:
    """Print what is equal and what differs; the exit status."""
    wrong = differences(old, new)
    for name, kind, path in wrong:
        key = name, kind, path
        what = "differs" if key in old and key in new else "only in the old list" if key in old else "only in the new"
        print(f"{name}: {kind} of {path} {what}")
    for name in sorted({key[0] for key in old.keys() | new.keys()}):
        mine = {key: value for key, value in new.items() if key[0] == name}
        print(f"{name:<17} {_counts(mine)}, {sum(key[0] == name for key in wrong)} differences")
    print(f"{len(old)} hashes and {len(new)}: {len(wrong)} differences")
    return 1 if wrong or not new else 0


def _counts(found: Hashes) -> str:
    counts = Counter(kind for _, kind, _ in found)
    return f"{counts['text']} texts, {counts['report']} reports"


def _count_lines(folder: Path) -> int:
    return sum(len(path.read_bytes().splitlines()) for path in folder.rglob("*.py"))


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command line and returns its exit status."""
    parser = argparse.ArgumentParser(prog="tools/golden.sh", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    writing = commands.add_parser("write")
    writing.add_argument("list", type=Path)
    usual = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "np2tnp-golden"
    writing.add_argument("--cache", type=Path, default=usual)
    writing.add_argument("--sets", default=",".join((*SETS, CHECK)))
    writing.add_argument("--jobs", type=int, default=1)
    writing.add_argument("--folders", nargs="+", type=Path, help="instead of fixtures/ and the third-party sources")
    comparing = commands.add_parser("compare")
    comparing.add_argument("old", type=Path)
    comparing.add_argument("new", type=Path)
    parsed = parser.parse_args(arguments)
    if parsed.command == "compare":
        return compare(read(parsed.old), read(parsed.new))
    sets = parsed.sets.split(",")
    if not set(sets) <= {*SETS, CHECK}:
        parser.error(f"the sets are {', '.join(SETS)} and {CHECK}")
    folders = parsed.folders or [ROOT / "fixtures", *download(parsed.cache)]
    print(", ".join(f"{folder.name} {_count_lines(folder):,}" for folder in folders), "lines")
    write(parsed.list.resolve(), [folder.resolve() for folder in folders], sets, parsed.jobs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
