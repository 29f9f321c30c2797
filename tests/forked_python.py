"""Python programs in processes of their own, which need not import TensorFlow again: two seconds each.

They are forked from one process that has imported it and done nothing else. What asks whether a program imports
TensorFlow, or what imports do, needs a new process.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import pickle
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any


def python(
    *arguments: str, env: Mapping[str, str] | None = None, cwd: Path | None = None, seconds: float = 300.0
) -> subprocess.CompletedProcess[str]:
    """Run ``python -c TEXT ...`` or ``python FILE ...``; what it printed, and its exit status."""
    if not hasattr(os, "fork"):
        command = [sys.executable, *arguments]
        return subprocess.run(command, capture_output=True, text=True, env=env, cwd=cwd, timeout=seconds, check=False)
    wanted = (arguments, dict(os.environ if env is None else env), str(cwd or os.getcwd()))
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        server, end = _server()
        server.settimeout(seconds)
        try:
            socket.send_fds(server, [_packed(wanted)], [out.fileno(), err.fileno()])
            status = pickle.loads(_read(server))
        except OSError:
            end()  # it is with this program for ever
            _server.cache_clear()
            raise
        out.seek(0)
        err.seek(0)
        return subprocess.CompletedProcess(arguments, status, out.read().decode(), err.read().decode())


@lru_cache(maxsize=1)
def _server() -> tuple[socket.socket, Callable[[], None]]:
    """The end of the process that forks where it is asked, and how to end it and what it started."""
    ours, theirs = socket.socketpair()
    with theirs:
        command = [sys.executable, __file__, str(theirs.fileno())]
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=environment,
            pass_fds=[theirs.fileno()],
            start_new_session=True,
        )

    def end() -> None:
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        ours.close()

    atexit.register(end)
    return ours, end


def _packed(value: Any) -> bytes:
    data = pickle.dumps(value)
    return len(data).to_bytes(8, "big") + data


def _read(stream: socket.socket, begin: bytes = b"") -> bytes:
    def read(count: int, data: bytes = b"") -> bytes:
        while len(data) < count:
            more = stream.recv(count - len(data))
            if not more:
                raise ConnectionError
            data += more
        return data

    size = int.from_bytes(read(8, begin[:8]), "big")
    return read(size, begin[8:])


def _next_program(server: socket.socket) -> tuple[CodeType, dict[str, Any]]:
    """In a child, what it is to run, and the namespace of that. The parent tells how children end, and stays here."""
    while True:
        begin, files, _, _ = socket.recv_fds(server, 65536, 2)
        if not begin:
            os._exit(0)
        arguments, environment, folder = pickle.loads(_read(server, begin))
        child = os.fork()
        if not child:
            break
        for file in files:
            os.close(file)
        server.sendall(_packed(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])))
    server.close()
    for number, file in enumerate(files, 1):
        os.dup2(file, number)
        os.close(file)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    main = sys.modules["__main__"] = ModuleType("__main__")
    first = ""
    if arguments[0] == "-c":
        text, sys.argv = arguments[1], ["-c", *arguments[2:]]
        code = compile(text, "<string>", "exec", dont_inherit=True)
    else:
        sys.argv = list(arguments)
        main.__file__, first = arguments[0], os.path.dirname(arguments[0])
        code = compile(Path(arguments[0]).read_bytes(), arguments[0], "exec", dont_inherit=True)
    sys.path[:1] = [first, *filter(None, environment.get("PYTHONPATH", "").split(os.pathsep))]
    return code, vars(main)


if __name__ == "__main__":
    with contextlib.suppress(ImportError):
        import tensorflow  # noqa: F401
    exec(*_next_program(socket.socket(fileno=int(sys.argv[1]))))
