"""``np2tnp report``: what is on the page, that nothing can break out of its place, and how a browser lays it out."""

from __future__ import annotations

import io
import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest
from rich.console import Console

from np2tnp import cli
from np2tnp.profiling.evidence import Ratio, Spread, judge_speed
from np2tnp.profiling.measured import Measured, Plan, Trial
from np2tnp.report.html.markup import element, join, prose
from np2tnp.report.html.svg import Curve, line_chart, log_axis
from np2tnp.report.to_profile import live_display, times
from np2tnp.verify.two_texts import Pair

PROGRAM = """
import numpy as np


def relax(field, steps):
    for _ in range(steps):
        field[1:-1] = 0.5 * (field[:-2] + field[2:])  # </pre><script>alert(1)</script>
    return field.sum()


def parts(x):
    return np.ma.masked_where(x > 0, np.sqrt(x))
"""

VERIFIED = {
    "path": "src/mod.py",
    "original": "git HEAD",
    "functions": [
        {"name": name, "verdict": verdict, "reason": "", "inputs": {"equal": 3}, "operations": 1, "warnings": []}
        | {"difference": "nan instead of <1>" if code else "", "code": code}
        for name, verdict, code in (("good", "EQUAL", ""), ("bad", "DIFFERENT", "print(bad(np.nan))\n"))
    ],
    "not_rewritten": [],
}


def measured_relax() -> Measured:
    """Two variants that win above 200, and one that was not timed."""
    plan = Plan(Pair("mod.py", "old", "new", "test"), "relax", "n", (10, 100, 1000), ())
    trials = []
    for size in plan.sizes:
        for variant in ("eager-ndarray", "xla"):
            ratio = Ratio(size / 200, size / 220, size / 180)
            transfer = {"to_device": 1e-6, "to_host": 3e-6} if variant == "xla" else {}
            numpy_time, here = Spread(1e-6 * size, 9e-7 * size, 1.1e-6 * size), Spread(2e-4, 1.9e-4, 2.1e-4)
            times = {"transfer": transfer, "reference": numpy_time, "variant_time": here, "ratio": ratio}
            speed = judge_speed(ratio, plan.min_effect)
            trials.append(
                Trial(*("relax", variant, "CPU:0", size, True), elements=size, first_call=0.1, speed=speed, **times)
            )
    trials.append(Trial("relax", "graph", "CPU:0", 10, False, "2 of 10 values differ"))
    return Measured(plan, devices=["CPU:0"], trials=trials)


def profile_document() -> dict:
    """A result file as the code that measures writes it, of a run that was interrupted."""
    environment = {"cpu": "test", "cores": 2, "gpus": [], "tensorflow": "2.21", "tf32": False}
    return {
        "schema": 1,
        "kind": "function",
        "created": "2026-01-01T00:00:00+00:00",
        "complete": False,
        "environment": environment,
        "devices": ["CPU:0"],
        "functions": [measured_relax().as_dict()],
    }


@pytest.fixture
def project(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mod.py").write_text(PROGRAM)
    deep = tmp_path / "a_directory_with_a_rather_long_name" / ("and_a_file_whose_name_is_even_longer" * 5 + ".py")
    deep.parent.mkdir()
    deep.write_text("import numpy as np\n\n\ndef total(x):\n    return np.sum(x)\n" + "# " + "x" * 300 + "\n")
    (tmp_path / "broken.py").write_text("import numpy as np\ndef\n")
    (tmp_path / "profile.json").write_text(json.dumps(profile_document()))
    (tmp_path / "verify.json").write_text(json.dumps(VERIFIED))
    return tmp_path


def write_page(project: Path, *arguments: str) -> str:
    assert cli.main(["report", *arguments, "--output", "page.html", "--no-cache"]) == 0
    return (project / "page.html").read_text(encoding="utf-8")


EVERYTHING = (".", "--profile", "profile.json", "--verify", "verify.json")


class Reader(HTMLParser):
    """Collects what a browser would load or follow, and checks that elements are closed in order."""

    VOID = frozenset(("br", "hr", "img", "input", "link", "meta"))

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.targets: list[str] = []
        self.identifiers: list[str] = []
        self.scripts = 0
        self.texts: dict[str, list[str]] = {}

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        named = dict(attributes)
        self.targets += [value or "" for name, value in attributes if name in ("src", "href", "xlink:href", "action")]
        self.identifiers += [named["id"] or ""] if "id" in named else []
        self.scripts += tag == "script"
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, f"</{tag}> in line {self.getpos()[0]}"

    def handle_data(self, data: str) -> None:
        if self.open:
            self.texts.setdefault(self.open[-1], []).append(data)


def read(page: str) -> Reader:
    reader = Reader()
    reader.feed(page)
    reader.close()
    assert reader.open == []
    return reader


def test_the_page_shows_what_was_found(project):
    reader = read(write_page(project, *EVERYTHING))
    assert reader.texts["h2"] == [
        *(
            "Readiness",
            "Functions",
            "What was found",
            "Findings by file",
            "Measured",
            "Verified",
            "Environment",
            "Codes",
        )
    ]
    code = set(reader.texts["code"])
    assert {"relax", "parts", "good", "bad"} <= code
    assert any("field[1:-1] = " in text for text in reader.texts["mark"])
    words = " ".join(text for texts in reader.texts.values() for text in texts)
    assert "TNP901" in words
    assert "effort" in reader.texts["th"]
    assert "2 of 10 values differ" in words
    assert "interrupted" in words
    assert "faster above n = " in words
    assert "print(bad(np.nan))" in words


def test_it_needs_nothing_else_and_its_links_lead_somewhere(project):
    page = write_page(project, *EVERYTHING)
    reader = read(page)
    assert all(target.startswith("#") for target in reader.targets)
    assert {target[1:] for target in reader.targets} <= set(reader.identifiers)
    assert len(reader.identifiers) == len(set(reader.identifiers))
    assert "url(" not in page
    assert "@import" not in page


def test_source_text_cannot_become_markup(project):
    page = write_page(project, *EVERYTHING)
    assert read(page).scripts == 1
    assert "&lt;script&gt;alert(1)" in page


def test_the_bar_of_findings_says_what_its_colours_mean(project):
    (project / "mod.py").write_text("import numpy as np\n\n\ndef f(x):\n    return np.sort(np.exp(x))\n")
    page = write_page(project, "mod.py")
    assert re.search(r"findings: (\d+ convert, )?[12] adapt<", page)


def test_only_result_files(project):
    reader = read(write_page(project, "--profile", "profile.json"))
    assert reader.texts["h2"] == ["Measured", "Environment"]


def test_hidden_findings_are_counted(project):
    (project / "mod.py").write_text("import numpy as np\n\n\ndef f(x: float):\n    return np.float64(x) + np.pi\n")
    page = write_page(project, "mod.py", "-v")
    shown = page.count('class="finding')
    page = write_page(project, "mod.py")
    hidden = re.search(r"(\d+) findings that only say", page)
    assert shown == page.count('class="finding') + (int(hidden[1]) if hidden else 0)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("p.json", "{", "not valid JSON"),
        ("p.json", "[1]", "not a result file"),
        ("p.json", '{"schema": 99}', "newer np2tnp"),
        ("p.json", '{"schema": 1, "complete": true, "functions": [{}]}', "p.json: not a result file"),
        ("missing.json", None, "cannot be read"),
    ],
)
def test_bad_result_files_are_one_line_and_status_2(project, capsys, name, text, said):
    if text is not None:
        (project / name).write_text(text)
    assert cli.main(["report", "--profile", name, "--output", "page.html"]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert said in lines[0]
    assert not (project / "page.html").exists()
    if name == "p.json":
        assert cli.main(["report", "--verify", name, "--output", "page.html"]) == 2


@pytest.mark.parametrize(("text", "option"), [('{"schema": 1}', "--profile"), ('{"not_rewritten": []}', "--verify")])
def test_a_result_file_that_is_named_like_a_source_is_told(project, capsys, text, option):
    (project / "t.json").write_text(text)
    assert cli.main(["report", "mod.py", "t.json", "--output", "page.html"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert f"shown with {option} t.json" in line
    assert not (project / "page.html").exists()


def test_files_that_could_not_be_read_are_told(project, capsys):
    assert cli.main(["report", "mod.py", "absent.py", "--output", "page.html"]) == 0
    assert "wrote page.html (1 file could not be worked on)" in capsys.readouterr().out
    assert "absent.py" in (project / "page.html").read_text()


def test_no_page_is_made_of_nothing(project, capsys):
    assert cli.main(["report", "absent.py", "--output", "page.html"]) == 2
    assert "absent.py: no such file or directory" in capsys.readouterr().err
    assert not (project / "page.html").exists()


def test_a_page_that_cannot_be_written_is_one_line_and_status_2(project, capsys):
    assert cli.main(["report", "mod.py", "--output", "no/such/folder.html"]) == 2
    assert "cannot be written" in capsys.readouterr().err


def test_elements_escape_what_is_not_markup():
    assert element("p", "<&>", element("b", "x"), title='"', hidden=True, id=None) == (
        '<p title="&quot;" hidden>&lt;&amp;&gt;<b>x</b></p>'
    )
    assert join("a<", element("br"), None) == "a&lt;<br>"
    assert prose("`x += 1` and <") == "<code>x += 1</code> and &lt;"
    assert prose("one ` alone") == "one ` alone"


@pytest.mark.parametrize("values", [[3.0], [1e-9, 2e3], [0.2, 0.9], [1.0, 1.0], []])
def test_an_axis_holds_its_values_and_few_words(values):
    axis = log_axis(values)
    assert all(axis.low <= value <= axis.high for value in values)
    assert axis.low < axis.high
    assert 1 <= len(axis.ticks) <= 14
    assert all(0 <= axis.place(tick, 0, 100) <= 100 for tick in axis.ticks)


def test_points_of_a_chart_lie_where_they_belong():
    chart = line_chart([Curve("c", "red", ((1.0, 1.0), (10.0, 10.0), (100.0, 100.0)))], "n", "y", str)
    across, down = zip(*(map(float, at) for at in re.findall(r'cx="([\d.]+)" cy="([\d.]+)"', chart)), strict=True)
    assert across[1] - across[0] == pytest.approx(across[2] - across[1], abs=0.01)
    assert down[0] - down[1] == pytest.approx(down[1] - down[2], abs=0.01)
    assert down[0] > down[2]


def test_when_the_first_call_has_paid(project):
    document = json.loads((project / "profile.json").read_text())
    paid = [it["pays_after"] for it in document["functions"][0]["trials"] if it["pays_after"] and it["size"] == 1000]
    assert paid
    page = write_page(project, *EVERYTHING)
    assert all(f"pays after {calls:,} call" in page for calls in paid)


def test_a_tree_without_findings_has_no_empty_tables(project):
    (project / "nothing.py").write_text("x = 1\n")
    page = write_page(project, "nothing.py")
    assert "No calls of NumPy found in 1 file." in page
    assert "What was found" not in page
    assert "Findings by file" not in page
    assert 'id="codes"' not in page


def test_hot_functions_and_what_stands_in_their_way(project):
    document = profile_document()
    hot = {"path": "mod.py", "line": 5, "seconds": 0.5, "share": 0.4, "inclusive": 0.6, "obstacle": ""}
    document["finding"] = {
        "status": 3,
        "seconds": 1.2,
        "samples": 40,
        "overhead": 0.02,
        "elsewhere": [["imports", 0.3]],
    }
    document["hot"] = [
        {**hot, "function": "relax", "state": "convertible", "reasons": []},
        {**hot, "function": "parts", "state": "blocked", "reasons": ["TNP205 line 14: `as_strided` here"]},
    ]
    document |= {"kind": "program", "command": ["python", "<run>.py"]}
    document["functions"][0]["decision"] = {"confirmed": True, "reason": "2.1 times at 1,000 elements"}
    (project / "profile.json").write_text(json.dumps(document))
    reader = read(write_page(project, "--profile", "profile.json"))
    assert reader.texts["h2"] == ["Hot functions", "Measured", "Environment"]
    words = " ".join(text for texts in reader.texts.values() for text in texts)
    for text in (
        "python <run>.py",
        "ended with status 3",
        "confirmed",
        "2.1 times",
        "TNP205",
        "imports 30\N{NO-BREAK SPACE}%",
    ):
        assert text in words
    del document["hot"][0]["share"]
    (project / "profile.json").write_text(json.dumps(document))
    assert cli.main(["report", "--profile", "profile.json", "--output", "page.html"]) == 2


@pytest.mark.parametrize(
    ("ratio", "words"),
    [
        ((2.1, 1.9, 2.3), "2.1 (1.9 - 2.3) faster"),
        ((0.0125, 0.01, 0.02), "80 (50 - 100) slower"),
        ((1.0,), "1 faster"),
        ((0.5,), "2 slower"),
        ((0.99, 0.9, 1.25), "1.01 (0.8 - 1.11) slower"),
    ],
)
def test_speeds_read_as_people_say_them(ratio, words):
    assert times(*ratio) == words


def test_the_display_shows_the_trials_so_far_and_the_time_left():
    console = Console(file=io.StringIO(), force_terminal=True, width=120, height=30)
    with live_display(console) as display:
        display.progress("relax n=10", 2, 10)
        display.show(measured_relax())
    shown = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", console.file.getvalue())
    for text in ("relax: how many times faster or slower than NumPy", "2/10", "left: relax n=10", "not timed", "1,000"):
        assert text in shown
    assert re.search(r"1,000 +5 faster +5 faster", shown)


def test_without_a_terminal_nothing_is_displayed():
    console = Console(file=io.StringIO())
    with live_display(console) as display:
        display.progress("relax", 1, 2)
        display.show(measured_relax())
    assert console.file.getvalue() == ""


# --- in a real browser

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)
in_a_browser = pytest.mark.skipif(BROWSER is None, reason="needs Chromium (Debian: apt-get install chromium)")

PROBE = """
<script>
for (const file of document.querySelectorAll("details")) file.open = true;
const root = document.documentElement;
document.body.dataset.seen = JSON.stringify({
  overflow: root.scrollWidth - root.clientWidth,
  width: root.clientWidth,
  heights: [...document.querySelectorAll("main > section")].map((it) => [it.id, it.offsetHeight]),
  letters: [...document.querySelectorAll("svg.chart text")].map((it) => it.getBoundingClientRect().height)
    .filter((it) => it),
  charts: [...document.querySelectorAll("svg.chart")].map((it) => it.getBoundingClientRect().width),
  cut: [...document.querySelectorAll("svg.chart text")].filter((it) => {
    const inner = it.getBoundingClientRect(), outer = it.ownerSVGElement.getBoundingClientRect();
    return inner.width && (inner.left < outer.left - 1 || inner.right > outer.right + 1);
  }).map((it) => it.textContent),
});
</script>
"""


def browse(folder: Path, page: str, *arguments: str, width: int) -> str:
    (folder / "probed.html").write_text(page.replace("</body>", PROBE + "</body>"), encoding="utf-8")
    command = [
        *(str(BROWSER), "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder / 'browser'}"),
        *(f"--window-size={width},1000", "--hide-scrollbars", *arguments, (folder / "probed.html").as_uri()),
    ]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout


@in_a_browser
@pytest.mark.parametrize("width", [1280, 500])
def test_a_browser_lays_it_out_without_overflow(project, width):
    page = browse(project, write_page(project, *EVERYTHING), "--dump-dom", width=width)
    seen = json.loads(re.search(r'data-seen="([^"]*)"', page)[1].replace("&quot;", '"'))
    assert seen["width"] == width
    assert seen["overflow"] <= 0
    assert [name for name, height in seen["heights"] if height < 60] == []
    assert len(seen["heights"]) == 7
    assert len(seen["charts"]) == 5
    assert min(seen["charts"]) > 300
    assert seen["cut"] == []
    assert sorted(seen["letters"])[len(seen["letters"]) // 2] > 10, "letters of charts that nobody can read"


@in_a_browser
def test_a_screenshot_shows_colours(project):
    page = write_page(project, *EVERYTHING)
    browse(project, page, f"--screenshot={project / 'page.png'}", width=1000)
    colours = pixels(project / "page.png")
    assert len(colours) > 50
    assert (27, 138, 90) in colours, "the bar of what can be migrated"
    assert max(colours.values()) < 0.97 * sum(colours.values()), "an empty page"


def pixels(path: Path) -> dict[tuple[int, ...], int]:
    """How often each colour is in a PNG of 8-bit channels."""
    from matplotlib.image import imread

    counts: dict[tuple[int, ...], int] = {}
    for row in (imread(path)[..., :3] * 255).round().astype(int).tolist():
        for pixel in row:
            key = tuple(pixel)
            counts[key] = counts.get(key, 0) + 1
    return counts
