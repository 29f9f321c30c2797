"""A Python whose programs need not import TensorFlow again: two to five seconds of CPU each.

They are forked from a process that has imported it and done nothing else, one for each set of the variables that such
imports read. `executable` gives the file that stands for ``sys.executable``, where programs start others, too (the
fixture ``forked_children``). What asks whether a program imports TensorFlow, or what imports do, needs a new process.
What stands for a program imports little: it is started each time.
"""

from __future__ import annotations

import atexit
import contextlib
import fcntl
import gc
import marshal
import os
import signal
import socket
import sys
import zlib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from types import CodeType, ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import subprocess

PYTHON = sys.executable
#: Beginnings of the names of variables that are read by imports, or by Python as it starts.
_READ_AT_IMPORT = ("PYTHON", "OMP_", "OPENBLAS_", "MKL_", "VECLIB_", "TF_", "XLA_")
_READ_LATER = frozenset(("PYTHONPATH", "TF_CPP_MIN_LOG_LEVEL"))
_PASSED_ON = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
_READ = 1  #: selectors.EVENT_READ
_LONGEST = 120.0  #: seconds for a server to import TensorFlow


def python(
    *arguments: str, env: Mapping[str, str] | None = None, cwd: Path | None = None, seconds: float = 300.0
) -> subprocess.CompletedProcess[str]:
    """Run ``python -c TEXT ...`` or ``python FILE ...``; what it printed, and its exit status."""
    import subprocess

    command = [executable(), *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=env, cwd=cwd, timeout=seconds, check=False)


@lru_cache(maxsize=1)
def executable() -> str:
    """A file that is called as Python is: ``-c TEXT``, ``-m MODULE`` and ``FILE`` run in forked processes."""
    if not hasattr(os, "pidfd_open") or " " in PYTHON:
        return PYTHON
    import tempfile

    folder = tempfile.TemporaryDirectory(prefix="forked-python-")
    atexit.register(folder.cleanup)
    file = Path(folder.name, "python")
    known = repr((PYTHON, os.getpid(), folder.name))
    text = f"import sys\nsys.path.append({str(Path(__file__).parent)!r})\n"
    text += f"from forked_python import stand_for\nstand_for(*{known}, sys.argv[1:])\n"
    file.write_text(f"#!{PYTHON} -IS\n{text}", encoding="utf-8")
    file.chmod(0o755)
    return str(file)


# --- The process that is started in the place of the program, which it stands for


def stand_for(real: str, owner: int, folder: str, arguments: list[str]) -> None:
    """Let a server fork the program, pass signals on, and end as it does."""
    if not arguments or (arguments[0].startswith("-") and arguments[0] not in ("-c", "-m")):
        os.execv(real, [real, *arguments])
    server = _server(real, owner, folder)
    is_leader = os.getpgrp() == os.getpid()
    wanted = marshal.dumps((arguments, dict(os.environ), os.getcwd(), is_leader, os.path.join(folder, "python")))
    socket.send_fds(server, [len(wanted).to_bytes(8, "big")], [0, 1, 2])
    server.sendall(wanted)
    for number in _PASSED_ON:
        signal.signal(number, lambda number, _: server.send(bytes([number])))
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in range(3):
        os.dup2(nothing, number)  # who reads what the program writes sees its end
    said = server.recv(8)
    status = int.from_bytes(said, "big", signed=True) if said else -signal.SIGKILL
    if status < 0:
        with contextlib.suppress(OSError):  # nobody may change what SIGKILL does
            signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    os._exit(status)


def _server(real: str, owner: int, folder: str) -> socket.socket:
    """A connection to the server for the variables of this process, which the first one starts."""
    read = {name: value for name, value in os.environ.items() if name.startswith(_READ_AT_IMPORT)}
    key = repr(sorted((name, value) for name, value in read.items() if name not in _READ_LATER))
    place = os.path.join(folder, f"{zlib.crc32(key.encode('utf-8', 'surrogateescape')):x}")
    with open(f"{place}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with contextlib.suppress(OSError):
            return _connected(place)
        import subprocess

        ours, theirs = socket.socketpair()
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        command = [real, __file__, str(owner), place, str(theirs.fileno())]
        stream = subprocess.DEVNULL
        subprocess.Popen(
            command, stdin=stream, stdout=stream, stderr=stream, env=environment, cwd="/",
            pass_fds=[theirs.fileno()], start_new_session=True,
        )  # fmt: skip
        theirs.close()
        ours.settimeout(_LONGEST)
        ours.recv(1)
        return _connected(place)


def _connected(place: str) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(place)
    return connection


# --- The process that forks


class _Children:
    """The programs that run, each with the connection to the process that stands for it."""

    def __init__(self, owner: int, place: str) -> None:
        from selectors import DefaultSelector

        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(place)
        self.listener.listen(64)
        self.selector = DefaultSelector()
        self.owner = os.pidfd_open(owner)
        self.selector.register(self.listener, _READ)
        self.selector.register(self.owner, _READ)
        self.running: dict[int, tuple[int, int, socket.socket]] = {}  #: by the descriptor that tells its end

    def next_program(self) -> tuple[CodeType, dict[str, Any]]:
        """In a child, what it is to run, and the namespace of that. The parent tells how children end, and stays."""
        while True:
            for key, _ in self.selector.select():
                if key.fileobj is self.owner:
                    for child, _, _ in self.running.values():
                        self._signal(child, signal.SIGKILL)
                    os._exit(0)
                if key.fileobj is self.listener:
                    connection, _ = self.listener.accept()
                    program = self._forked(connection)
                    if program is not None:
                        return program
                elif key.data is None:
                    self._ended(key.fd)
                elif key.data in self.running:
                    self._told(key.data)

    def _forked(self, connection: socket.socket) -> tuple[CodeType, dict[str, Any]] | None:
        begin, files, _, _ = socket.recv_fds(connection, 8, 3)
        if len(files) < 3:
            connection.close()
            return None
        size, data = int.from_bytes(begin, "big"), b""
        while len(data) < size:
            data += connection.recv(size - len(data)) or os._exit(1)  # type: ignore[func-returns-value]
        wanted = marshal.loads(data)
        child = os.fork()
        if not child:
            self.selector.close()
            for descriptor in (self.listener, connection, *(it[2] for it in self.running.values())):
                descriptor.close()
            for number in (self.owner, *self.running):
                os.close(number)
            return _prepared(files, *wanted)
        for file in files:
            os.close(file)
        end = os.pidfd_open(child)
        self.running[end] = child, -child if wanted[3] else child, connection
        self.selector.register(end, _READ)
        self.selector.register(connection, _READ, end)
        return None

    def _ended(self, end: int) -> None:
        child, _, connection = self.running.pop(end)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        with contextlib.suppress(OSError):
            connection.sendall(status.to_bytes(8, "big", signed=True))
        self.selector.unregister(end)
        with contextlib.suppress(KeyError):
            self.selector.unregister(connection)
        os.close(end)
        connection.close()

    def _told(self, end: int) -> None:
        """Pass a signal on, or the end of the process that stands for the program: it was killed."""
        child, target, connection = self.running[end]
        told = connection.recv(1)
        if told:
            self._signal(target, told[0])
        else:
            self.selector.unregister(connection)
            self._signal(child, signal.SIGKILL)

    @staticmethod
    def _signal(target: int, number: int) -> None:
        with contextlib.suppress(OSError):
            os.kill(target, number)


def _prepared(
    files: list[int], arguments: list[str], environment: dict[str, str], folder: str, is_leader: bool, name: str
) -> tuple[CodeType, dict[str, Any]]:
    """Make this process what Python is where it begins to run a program: the program's code, and its namespace."""
    if is_leader:
        os.setpgid(0, 0)
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    sys.executable = name
    main = sys.modules["__main__"] = ModuleType("__main__")
    first, sys.argv = "", list(arguments)
    if arguments[0] == "-c":
        sys.argv = ["-c", *arguments[2:]]
        code = compile(arguments[1], "<string>", "exec", dont_inherit=True)
    elif arguments[0] == "-m":
        first, sys.argv = folder, ["-m", *arguments[2:]]
        code = compile(f"import runpy; runpy._run_module_as_main({arguments[1]!r})", "<forked>", "exec")
    else:
        main.__file__, first = arguments[0], os.path.dirname(os.path.abspath(arguments[0]))
        code = compile(Path(arguments[0]).read_bytes(), arguments[0], "exec", dont_inherit=True)
    sys.path[:1] = [first, *filter(None, environment.get("PYTHONPATH", "").split(os.pathsep))]
    with contextlib.suppress(ImportError):
        import sitecustomize  # noqa: F401 # of PYTHONPATH: Python looks for it as it starts
    return code, {} if arguments[0] == "-m" else vars(main)


_status: list[int] = []  #: of a program that has ended, where nothing is left to do


def _end() -> None:
    """End at once: to take TensorFlow's modules apart takes a second. It runs after all that was registered later."""
    if _status:
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):
                stream.flush()
        os._exit(_status[0])


if __name__ == "__main__":
    atexit.register(_end)
    with contextlib.suppress(ImportError):
        import tensorflow  # noqa: F401
    gc.freeze()  # what all of them share is not looked through, and so not copied, by each
    _children = _Children(int(sys.argv[1]), sys.argv[2])
    socket.socket(fileno=int(sys.argv[3])).sendall(b"+")
    try:
        exec(*_children.next_program())
    except SystemExit as _stop:
        _status[:] = [_stop.code & 255 if isinstance(_stop.code, int) else int(_stop.code is not None)]
        raise
    except KeyboardInterrupt:  # Python kills itself
        raise
    except BaseException:
        _status[:] = [1]
        raise
    else:
        _status[:] = [0]
