"""The language server, spoken to over standard input and output as editors do."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command_line import run

from np2tnp.model import Region, RegionState, Span

pytest.importorskip("pygls")

TEXT = """\
import numpy as np


def smooth(x):
    return np.exp(x) + np.sin(x)


async def stuck(é𐐀, x): return np.exp(x)
"""
SECONDS = 8


class Client:
    """A client of the protocol: frames out, frames in, by a thread that reads."""

    def __init__(self, folder: Path, *options: str) -> None:
        command = [sys.executable, "-m", "np2tnp", "server", *options]
        self.process = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self.folder = folder
        self.notes: queue.Queue[dict[str, Any]] = queue.Queue()
        self.answers: queue.Queue[dict[str, Any]] = queue.Queue()
        self.number = 0
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        stream = self.process.stdout
        assert stream is not None
        while True:
            length = 0
            while (line := stream.readline()).strip():
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            if not line:
                return
            message = json.loads(stream.read(length))
            (self.answers if "id" in message and "method" not in message else self.notes).put(message)

    def raw(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message: Any) -> None:
        body = json.dumps(message).encode()
        self.raw(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def note(self, method: str, **params: Any) -> None:
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        self.number += 1
        self.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        while True:
            answer = self.answers.get(timeout=SECONDS)
            if answer["id"] == self.number:
                return answer

    def start(self, **capabilities: Any) -> dict[str, Any]:
        answer = self.ask("initialize", processId=None, rootUri=self.folder.as_uri(), capabilities=capabilities)
        self.note("initialized")
        result: dict[str, Any] = answer["result"]["capabilities"]
        return result

    def uri(self, name: str = "a.py") -> str:
        return (self.folder / name).as_uri()

    def open(self, text: str, name: str = "a.py") -> None:
        document = {"uri": self.uri(name), "languageId": "python", "version": 1, "text": text}
        self.note("textDocument/didOpen", textDocument=document)

    def change(self, text: str, version: int) -> None:
        document = {"uri": self.uri(), "version": version}
        self.note("textDocument/didChange", textDocument=document, contentChanges=[{"text": text}])

    def diagnostics(self) -> list[dict[str, Any]]:
        while True:
            message = self.notes.get(timeout=SECONDS)
            if message["method"] == "textDocument/publishDiagnostics":
                found: list[dict[str, Any]] = message["params"]["diagnostics"]
                return found

    def diagnostics_with(self, words: str) -> list[dict[str, Any]]:
        while True:
            found = self.diagnostics()
            if any(words in item["message"] for item in found):
                return found

    def at(self, line: int, character: int) -> dict[str, Any]:
        return {"textDocument": {"uri": self.uri()}, "position": {"line": line, "character": character}}

    def actions(self, line: int) -> dict[str, dict[str, Any]]:
        place = {"line": line, "character": 0}
        params = {"range": {"start": place, "end": place}, "context": {"diagnostics": []}}
        answer = self.ask("textDocument/codeAction", textDocument={"uri": self.uri()}, **params)
        return {item["title"].split()[0]: item for item in answer["result"]}

    def end(self) -> int:
        self.ask("shutdown")
        self.note("exit")
        return self.process.wait(timeout=SECONDS)


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    made = Client(tmp_path)
    yield made
    made.process.kill()
    made.process.wait()


def applied(text: str, edit: dict[str, Any]) -> str:
    """The text with the edits of one file, of whole lines."""
    (edits,) = edit["changes"].values()
    lines = text.splitlines(True)
    for item in sorted(edits, key=lambda it: -int(it["range"]["start"]["line"])):
        start, end = item["range"]["start"], item["range"]["end"]
        assert (start["character"], end["character"]) == (0, 0)
        lines[start["line"] : end["line"]] = [item["newText"]]
    return "".join(lines)


def test_what_is_found_is_told_on_open_change_and_save(client: Client) -> None:
    client.start()
    client.open(TEXT)
    (found,) = client.diagnostics()
    assert found["code"] == "TNP403"
    assert found["severity"] == 1
    assert found["message"].startswith("stuck stays NumPy: ")
    assert found["range"]["start"] == {"line": 7, "character": 0}
    # in units of UTF-16, of which one of these letters takes two
    assert found["range"]["end"] == {"line": 7, "character": len("async def stuck(é𐐀, x): return np.exp(x)") + 1}
    client.change(TEXT.replace("async def stuck", "async def other"), 2)
    client.diagnostics_with("other stays NumPy")
    client.note("textDocument/didSave", textDocument={"uri": client.uri()})
    client.diagnostics_with("other stays NumPy")
    client.change("x = (\n", 3)
    (found,) = client.diagnostics_with("syntax error")
    assert found["code"] == "TNP901"
    client.note("textDocument/didClose", textDocument={"uri": client.uri()})
    assert client.diagnostics() == []
    assert client.end() == 0


def test_hover_shows_the_rule_and_the_name(client: Client) -> None:
    client.start()
    client.open(TEXT)
    client.diagnostics()
    shown = client.ask("textDocument/hover", **client.at(4, 13))["result"]["contents"]["value"]
    assert shown.startswith("**TNP0")
    assert "What np2tnp does" in shown
    assert "numpy.exp(" in shown
    assert client.ask("textDocument/hover", **client.at(1, 0))["result"] is None


@pytest.mark.parametrize("lazily", [True, False])
def test_actions_rewrite_and_keep_a_function(client: Client, lazily: bool, tmp_path: Path) -> None:
    support = {"codeAction": {"resolveSupport": {"properties": ["edit"]}}} if lazily else {}
    client.start(textDocument=support)
    client.open(TEXT)
    client.diagnostics()
    actions = client.actions(4)
    assert set(actions) == {"Rewrite", "Keep"}
    assert ("edit" in actions["Rewrite"]) != lazily
    action = client.ask("codeAction/resolve", **actions["Rewrite"])["result"] if lazily else actions["Rewrite"]
    made = applied(TEXT, action["edit"])
    assert "@rt.migrated" in made
    assert "tnp.exp(x) + tnp.sin(x)" in made
    compile(made, "a.py", "exec")
    kept = applied(TEXT, actions["Keep"]["edit"])
    assert kept == TEXT.replace("def smooth(x):", "def smooth(x):  # np2tnp: keep")
    assert client.actions(0) == client.actions(7) == {}  # nothing to rewrite, and nothing to keep from that
    client.change(kept, 2)
    client.diagnostics()
    assert client.actions(4) == {}


def test_where_a_comment_that_keeps_a_function_goes() -> None:
    from np2tnp.commands.server import kept

    def keep(head: str) -> str:
        text = f"class A:\n    {head}\n        return x\n"
        return kept(text, Region("A.f", Span(2, 5, 3, 17), RegionState.CONVERTIBLE)).split("\n", 1)[1]

    assert keep("def f(self, x):").startswith("    def f(self, x):  # np2tnp: keep\n")
    for head in ("def f(self, x='#'):", "def f(self, x):  # mine", "def f(self,\n          x):"):
        assert keep(head).startswith(f"    # np2tnp: keep\n    {head}\n")


def test_options_and_settings_count(tmp_path: Path) -> None:
    client = Client(tmp_path, "--ignore", "TNP403")
    try:
        client.start()
        client.open(TEXT)
        assert client.diagnostics() == []
        assert client.end() == 0
    finally:
        client.process.kill()
        client.process.wait()


def test_the_last_of_many_edits_counts(client: Client) -> None:
    client.start()
    client.open(TEXT)
    body = "".join(f"\n\ndef f{n}(x):\n    return np.exp(x) + {n}\n" for n in range(200))  # takes longer than typing
    for version in range(2, 60):
        client.change(TEXT.replace("stuck", f"stuck{version}") + body, version)
        if version % 10 == 0:
            client.note("textDocument/didSave", textDocument={"uri": client.uri()})
    client.diagnostics_with("stuck59 stays NumPy")
    assert client.end() == 0


def test_it_lives_on_after_nonsense(client: Client) -> None:
    client.raw(b"hello\r\n\r\n")
    client.start()
    for body in (b"{", b"[]", b"5", b"null", b'{"jsonrpc": "2.0"}', b'{"jsonrpc": "2.0", "method": 5}', b"\xff\xfe"):
        client.raw(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    client.note("textDocument/didOpen", textDocument=5)
    client.note("textDocument/didChange", textDocument={"uri": client.uri("never-opened.py"), "version": 1})
    client.note("textDocument/didClose", textDocument={"uri": "nonsense"})
    client.note("no/such/note", x=1)
    assert "error" in client.ask("no/such/method")
    client.send({"jsonrpc": "2.0", "id": "odd", "method": "textDocument/hover", "params": {"textDocument": None}})
    far = {"line": 10**6, "character": 10**6}
    client.open(TEXT)
    client.diagnostics_with("stuck stays NumPy")
    answer = client.ask("textDocument/hover", textDocument={"uri": client.uri()}, position=far)
    assert answer.get("result") is None
    assert client.ask("textDocument/hover", textDocument={"uri": "untitled:1"}, position=far).get("result") is None
    for data in (5, {}, {"uri": 5}, {"uri": client.uri(), "version": 99}):
        assert "edit" not in client.ask("codeAction/resolve", title="x", data=data)["result"]
    client.open("\0\ud800", "bad.py")
    client.diagnostics_with("null bytes")
    (client.folder / "np2tnp.toml").write_text("select = 5\n")
    client.change(TEXT + "\n", 2)
    client.actions(4)
    assert client.end() == 0


def test_a_client_that_goes_ends_it(client: Client) -> None:
    client.start()
    assert client.process.stdin is not None
    client.process.stdin.close()
    client.process.wait(timeout=SECONDS)


def test_without_the_extra_it_says_what_to_install(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] in ("pygls", "lsprotocol")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delitem(sys.modules, "np2tnp.commands.server", raising=False)
    for name in ("pygls", "lsprotocol"):
        monkeypatch.setitem(sys.modules, name, None)
    status, out, err = run(capfd, "server")
    assert (status, out) == (2, "")
    assert err == "np2tnp: np2tnp server needs lsprotocol; install it with: pip install 'np2tnp[lsp]'\n"


def test_check_does_not_import_it(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(TEXT)
    code = (
        "import sys; from np2tnp.cli import main; main(['check', '--no-cache', 'a.py']);"
        "print([m for m in sys.modules if m.split('.')[0] in ('pygls', 'lsprotocol', 'asyncio')])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
