"""One child process and the pipe to it: user code runs there, so that a crash, a hang or full memory is only a result.

The protocol is a pickled request and a pickled reply, over the child's standard input and output. The child keeps its
own copy of that output and points file descriptor 1 elsewhere: nothing the user's code prints can get in between.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import queue
import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping
from typing import IO, Any

_HEADER = 8
_LOG = re.compile(r"WARNING: All log messages|[IWEF]\d{4} \d\d:")  #: what TensorFlow's libraries log: no reason to die


class ChildTimeout(Exception):  # noqa: N818 - says what happened, as TimeoutError does
    """The child did not answer in time; it was killed."""


class ChildDied(Exception):  # noqa: N818
    """The child ended without an answer; the message has its exit status and the end of what it wrote to stderr."""


class Child:
    """A child process that answers requests; started by the first of them and, once dead, again by the next."""

    def __init__(self, module: str, environment: Mapping[str, str] | None = None) -> None:
        self._module = module
        self._environment = dict(environment or {})
        self._process: subprocess.Popen[bytes] | None = None
        self._replies: queue.Queue[Any] = queue.Queue()
        self._errors: IO[bytes] | None = None

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def ask(self, command: str, seconds: float, /, **arguments: Any) -> Any:
        """The child's reply to `command`.

        Raises ChildTimeout after `seconds`, ChildDied when the child ends, RuntimeError when the command itself fails.
        """
        process = self._process if self.is_running else self._start()
        assert process is not None
        assert process.stdin is not None
        try:
            write_message(process.stdin, (command, arguments))
        except OSError:
            raise self._died() from None
        try:
            reply = self._replies.get(timeout=seconds)
        except queue.Empty:
            self.close()
            raise ChildTimeout(f"no answer within {seconds:g} s") from None
        if reply is None:
            raise self._died()
        status, value = reply
        if status == "error":
            raise RuntimeError(value)
        return value

    def close(self) -> None:
        """End the child, if there is one."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, self._errors):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _start(self) -> subprocess.Popen[bytes]:
        self.close()
        replies: queue.Queue[Any] = queue.Queue()
        self._replies = replies
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed by close()
        environment = {**child_environment(), **self._environment}
        self._process = process = subprocess.Popen(
            [sys.executable, "-m", self._module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env=environment,
        )
        threading.Thread(target=_read_replies, args=(process.stdout, replies), daemon=True).start()
        return process

    def _died(self) -> ChildDied:
        process, errors = self._process, self._errors
        status = process.wait() if process is not None else None
        said = ""
        if errors is not None:
            errors.seek(0, os.SEEK_END)
            errors.seek(max(0, errors.tell() - 2000))
            lines = errors.read().decode("utf-8", "replace").splitlines()
            said = next((line for line in reversed(lines) if line.strip() and not _LOG.match(line)), "").strip()
        self.close()
        how = f"killed by signal {-status}" if status is not None and status < 0 else f"exit status {status}"
        return ChildDied(f"the child process ended ({how}){': ' + said if said else ''}")


def child_environment() -> dict[str, str]:
    """This process's environment, with the package importable whatever the child's working directory."""
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    paths = [root, *filter(None, [os.environ.get("PYTHONPATH")])]
    # what is compared and timed is TensorFlow's part, however small the arguments, and in one way from call to call
    told = {"NP2TNP_ABOVE": "0", "NP2TNP_COMPILE": os.environ.get("NP2TNP_COMPILE", "0")}
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths), **told}


def _read_replies(stream: IO[bytes], replies: queue.Queue[Any]) -> None:
    while True:
        try:
            message = read_message(stream)
        except (OSError, ValueError, pickle.UnpicklingError):
            message = None
        replies.put(message)
        if message is None:
            return


def write_message(stream: IO[bytes], message: object) -> None:
    """Write one message to `stream` and flush it."""
    data = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    stream.write(len(data).to_bytes(_HEADER, "little") + data)
    stream.flush()


def read_message(stream: IO[bytes]) -> Any:
    """The next message of `stream`, or None at its end."""
    header = stream.read(_HEADER)
    if len(header) < _HEADER:
        return None
    return pickle.loads(stream.read(int.from_bytes(header, "little")))


def serve(handlers: Mapping[str, Callable[..., Any]]) -> None:
    """The child's side: answer requests by the handler of their name until the pipe closes."""
    requests = os.fdopen(os.dup(0), "rb")
    replies = os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    while (message := read_message(requests)) is not None:
        command, arguments = message
        try:
            reply = ("value", handlers[command](**arguments))
            data = pickle.dumps(reply, protocol=pickle.HIGHEST_PROTOCOL)
        except Exception as error:
            data = pickle.dumps(("error", f"{type(error).__name__}: {error}"))
        replies.write(len(data).to_bytes(_HEADER, "little") + data)
        replies.flush()
