"""`np2tnp server`: a language server over standard input and output, for editors (extra ``lsp``)."""

from __future__ import annotations

import argparse
import asyncio
import difflib
import io
import os
import re
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from lsprotocol import types
from pygls import uris
from pygls.lsp.server import LanguageServer

from np2tnp import __version__, pipeline
from np2tnp.config import Config, ConfigError
from np2tnp.migration import baselines
from np2tnp.model import FileReport, Finding, Region, RegionState, Run, Span
from np2tnp.report.to_services import level
from np2tnp.report.totals import shown, told
from np2tnp.terminal import CLEAN

T = TypeVar("T")
#: Seconds without a change after which a text is looked at.
_PAUSE = 0.25
_SEVERITIES = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "note": types.DiagnosticSeverity.Information,
}
_NAME = re.compile(r"[A-Za-z_][\w.]*\w|[A-Za-z_]")
_NUMPY = re.compile(r"^\s*import\s+numpy(?:\s+as\s+(\w+))?\s*(?:#.*)?$", re.MULTILINE)
#: A head of a function that a comment may stand behind: nothing in it hides where it ends.
_PLAIN_HEAD = re.compile(r"[^#\"'\\]*:\s*")
_KEEP = "# np2tnp: keep"


@dataclass(slots=True)
class Document:
    """An open text, as far as it was looked at."""

    version: int = 0  #: counts what the client told of it
    timer: asyncio.TimerHandle | None = None
    task: asyncio.Task[None] | None = None  #: looks at it now
    is_stale: bool = False  #: it changed meanwhile
    text: str = ""  #: that `report` is about
    report: FileReport | None = None


class Server:
    """What the editor's messages ask for. One thread analyses, the loop answers."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.editor = LanguageServer("np2tnp", __version__)
        self._worker = ThreadPoolExecutor(1)
        self._documents: dict[str, Document] = {}
        handlers: dict[str, Callable[..., Any]] = {
            types.TEXT_DOCUMENT_DID_OPEN: self.changed_at_once,
            types.TEXT_DOCUMENT_DID_SAVE: self.changed_at_once,
            types.TEXT_DOCUMENT_DID_CHANGE: self.changed,
            types.TEXT_DOCUMENT_DID_CLOSE: self.closed,
            types.TEXT_DOCUMENT_HOVER: self.hover,
        }
        for name, handler in handlers.items():
            self.editor.feature(name)(_function(handler))
        kinds = [types.CodeActionKind.RefactorRewrite, types.CodeActionKind.QuickFix]
        options = types.CodeActionOptions(code_action_kinds=kinds, resolve_provider=True)
        self.editor.feature(types.TEXT_DOCUMENT_CODE_ACTION, options)(_function(self.code_actions))
        self.editor.feature(types.CODE_ACTION_RESOLVE)(_function(self.resolve))

    def start(self) -> None:
        """Answer until the client says `exit`, or goes."""
        # a stream of its own: pygls closes it, and what anything else prints must not get between the messages
        stdout = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
        sys.stdout = sys.stderr
        try:
            self.editor.start_io(stdout=stdout)
        finally:
            self._worker.shutdown(wait=False, cancel_futures=True)

    # --- Diagnostics

    def changed_at_once(self, params: Any) -> None:
        self._note(params.text_document.uri, 0.0)

    def changed(self, params: Any) -> None:
        self._note(params.text_document.uri, _PAUSE)

    def closed(self, params: Any) -> None:
        document = self._documents.pop(params.text_document.uri, None)
        if document is not None and document.timer is not None:
            document.timer.cancel()
        self._publish(params.text_document.uri, [])

    def _note(self, uri: str, pause: float) -> None:
        """The text is another one: look at it after a pause in which it does not change."""
        document = self._documents.setdefault(uri, Document())
        document.version += 1
        if document.timer is not None:
            document.timer.cancel()
        document.timer = asyncio.get_running_loop().call_later(pause, self._begin, uri, document)

    def _begin(self, uri: str, document: Document) -> None:
        document.timer = None
        if document.task is not None:
            document.is_stale = True  # one at a time: the last state is what counts
            return
        document.is_stale = False
        document.task = asyncio.get_running_loop().create_task(self._look(uri, document))

    async def _look(self, uri: str, document: Document) -> None:
        try:
            path = self._path(uri)
            version, text = document.version, self._text(uri)
            if path is None or self.config.of_file(path).excludes(path):
                return
            try:
                run = await self._in_worker(checked, path, text, self.config)
            except ConfigError as error:  # a broken configuration file
                self.editor.window_log_message(types.LogMessageParams(types.MessageType.Error, f"np2tnp: {error}"))
                return
            if self._documents.get(uri) is document and document.version == version:
                document.text, document.report = text, run.reports[0] if run.reports else None
                self._publish(uri, [self._diagnostic(it, text) for it in shown(run, self.config)])
        finally:
            document.task = None
            if document.is_stale and self._documents.get(uri) is document:
                self._begin(uri, document)

    def _diagnostic(self, finding: Finding, text: str) -> types.Diagnostic:
        return types.Diagnostic(
            range=self._range(finding.span, text),
            message=told(finding),
            severity=_SEVERITIES[level(finding, self.config.of_file(finding.path))],
            code=finding.code,
            source="np2tnp",
        )

    def _publish(self, uri: str, diagnostics: list[types.Diagnostic]) -> None:
        self.editor.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, diagnostics))

    # --- Hover

    async def hover(self, params: Any) -> types.Hover | None:
        """The pages of what is found at a place, and what the catalog knows of the name there."""
        document = self._current(params.text_document.uri)
        path = self._path(params.text_document.uri)
        if document is None or document.report is None or path is None:
            return None
        line, column = self._place(params.position, document.text)
        found = [it for it in document.report.findings if _covers(it.span, line, column)]
        name = numpy_name(document.text, line, column)
        known = await self._in_worker(row, name, self.config.of_file(path)) if name else ""
        parts = [page(code) for code in dict.fromkeys(it.code for it in found)]
        parts += [f"```text\n{known}\n```"] if known else []
        return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, "\n\n---\n\n".join(parts))) if parts else None

    # --- Code actions

    async def code_actions(self, params: Any) -> list[types.CodeAction]:
        """For the function at the cursor: rewrite it, or keep it in NumPy."""
        uri = params.text_document.uri
        document = self._current(uri)
        if document is None or document.report is None:
            return []
        line = params.range.start.line + 1
        regions = [it for it in document.report.regions if it.qualname != "<module>" and _is_on(it.span, line)]
        actions: list[types.CodeAction] = []
        for region in regions:
            data = {"uri": uri, "version": document.version, "function": region.qualname}
            if region.state is RegionState.CONVERTIBLE:
                title = f"Rewrite {region.qualname} for TensorFlow (np2tnp)"
                action = types.CodeAction(title, types.CodeActionKind.RefactorRewrite, data=data)
                actions.append(action if self._resolves() else await self.resolve(action))
                title = f"Keep {region.qualname} in NumPy ({_KEEP})"
                edit = self._edit(uri, document.text, kept(document.text, region))
                actions.append(types.CodeAction(title, types.CodeActionKind.QuickFix, edit=edit))
        return actions

    async def resolve(self, action: types.CodeAction) -> types.CodeAction:
        """The edit of an action, if the text is still the one that it was offered for."""
        data = action.data if isinstance(action.data, dict) else {}
        uri = data.get("uri")
        document = self._current(uri) if isinstance(uri, str) else None
        path = self._path(uri) if isinstance(uri, str) else None
        if document is None or path is None or document.version != data.get("version"):
            return action
        text = document.text
        made = await self._in_worker(rewritten, path, text, str(data.get("function")), self.config)
        if document.version == data.get("version"):
            action.edit = self._edit(str(uri), text, made)
        return action

    def _resolves(self) -> bool:
        """Whether the client asks for an edit when somebody wants it."""
        actions = getattr(self.editor.client_capabilities.text_document, "code_action", None)
        support = getattr(actions, "resolve_support", None)
        return support is not None and "edit" in support.properties

    def _edit(self, uri: str, old: str, new: str) -> types.WorkspaceEdit:
        """The lines that differ."""
        before, after = _lines(old), _lines(new)
        matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
        edits = [
            types.TextEdit(types.Range(_start_of(first, before), _start_of(end, before)), "".join(after[low:high]))
            for kind, first, end, low, high in matcher.get_opcodes()
            if kind != "equal"
        ]
        return types.WorkspaceEdit(changes={uri: edits})

    # --- Helpers

    async def _in_worker(self, function: Callable[..., T], *arguments: Any) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._worker, function, *arguments)

    def _current(self, uri: str) -> Document | None:
        """The document, if what is known of it is about its present text."""
        document = self._documents.get(uri)
        return document if document is not None and document.text == self._text(uri) else None

    def _text(self, uri: str) -> str:
        return str(self.editor.workspace.get_text_document(uri).source)

    def _path(self, uri: str) -> str | None:
        """The file of a document; None for what is in none, and for notebooks, of which clients send cells."""
        path = uris.to_fs_path(uri) if uri.startswith("file:") else None
        return path if isinstance(path, str) and not path.endswith(".ipynb") else None

    def _range(self, span: Span, text: str) -> types.Range:
        lines = _lines(text)

        def position(line: int, column: int) -> types.Position:
            found = types.Position(line - 1, column - 1)
            return self._codec().position_to_client_units(lines, found) if line <= len(lines) else found

        return types.Range(position(span.line, span.column), position(span.end_line, span.end_column))

    def _place(self, position: types.Position, text: str) -> tuple[int, int]:
        lines = _lines(text)
        if 0 <= position.line < len(lines):
            position = self._codec().position_from_client_units(lines, position)
        return position.line + 1, position.character + 1

    def _codec(self) -> Any:
        return self.editor.workspace.position_codec


def run(parsed: argparse.Namespace, config: Config) -> int:
    """The command. Ends when the client does."""
    Server(config).start()
    return CLEAN


def checked(path: str, text: str, config: Config) -> Run:
    """What ``check`` says of a text that the file at `path` might hold."""
    run = pipeline.check_texts({path: _bytes(text)}, config)
    return pipeline.fold_repeats(baselines.without_known(run, config))


def rewritten(path: str, text: str, function: str, config: Config) -> str:
    """The text with one function migrated; the same text where that cannot be."""
    config = replace(config, chosen_regions=frozenset(((path, function),)))
    made = pipeline.plan(pipeline.Files({path: _bytes(text)}, (), (), stdin=path), config)
    return next((change.new_text for change in made.run.changes), text)


def kept(text: str, region: Region) -> str:
    """The text with a comment that leaves a function in NumPy: behind its head, or else above that."""
    lines = _lines(text)
    at = region.span.line - 1
    head = lines[at].rstrip("\r\n")
    end = lines[at][len(head) :]
    if _PLAIN_HEAD.fullmatch(head):
        lines[at] = f"{head.rstrip()}  {_KEEP}{end}"
    else:
        indent = head[: len(head) - len(head.lstrip())]
        lines.insert(at, f"{indent}{_KEEP}{end or chr(10)}")
    return "".join(lines)


def page(code: str) -> str:
    """The page of a rule, as Markdown."""
    from np2tnp.commands.explain import pages, sections

    doc = pages()[code]
    parts = [f"**{doc.code}** {doc.name}"]
    for title, body in sections(doc):
        is_code = title in ("Before", "After", "Instead")
        parts.append(f"**{title}**\n\n" + (f"```python\n{body.rstrip()}\n```" if is_code else body))
    return "\n\n".join(parts)


def numpy_name(text: str, line: int, column: int) -> str:
    """The name of NumPy's that stands at a place, or that a method there would have; empty for others."""
    lines = _lines(text)
    code = lines[line - 1] if 0 < line <= len(lines) else ""
    found = next((it for it in _NAME.finditer(code) if it.start() < column <= it.end() + 1), None)
    if found is None:
        return ""
    first, _, rest = found[0].partition(".")
    names = {it or "numpy" for it in _NUMPY.findall(text)}
    if first in names:
        return f"numpy.{rest}" if rest else ""
    return f"ndarray.{rest.rpartition('.')[2]}" if rest else ""


def row(name: str, config: Config) -> str:
    """What ``np2tnp api`` says of a name; empty where it knows nothing."""
    from np2tnp.catalog.catalog import load
    from np2tnp.report import to_api

    return to_api.render(name, load(config.target_tensorflow, config.target_numpy), config) or ""


def _function(method: Callable[..., T]) -> Callable[..., T]:
    """A method as a function, which takes the attributes that pygls puts on handlers."""
    if asyncio.iscoroutinefunction(method):

        async def answer(params: Any) -> Any:
            return await method(params)

        return answer  # type: ignore[return-value]

    def handle(params: Any) -> T:
        return method(params)

    return handle


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _lines(text: str) -> list[str]:
    """The lines of a text as clients count them, with their ends."""
    return list(io.StringIO(text, newline=""))


def _start_of(line: int, lines: list[str]) -> types.Position:
    """Where a line begins, counted from 0; the end of the text for the one behind the last."""
    if line < len(lines) or not lines or lines[-1].endswith(("\n", "\r")):
        return types.Position(line, 0)
    return types.Position(len(lines) - 1, len(lines[-1].encode("utf-16-le", "surrogatepass")) // 2)


def _covers(span: Span, line: int, column: int) -> bool:
    return (span.line, span.column) <= (line, column) <= (span.end_line, span.end_column)


def _is_on(span: Span, line: int) -> bool:
    return span.line <= line <= span.end_line
