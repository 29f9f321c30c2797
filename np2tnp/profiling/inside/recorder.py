"""With which arguments a program calls a few of its functions. Runs inside the user's program.

Which functions is in ``wanted.json`` of the folder given. Every call of one is counted by the signature of its
arguments (dtypes, shapes, layouts, kinds of other values); of a few signatures the arguments themselves are kept,
pickled before the call can change them, within limits of count, bytes and time. Results go to the folder, a JSON file
a process.
"""

from __future__ import annotations

import atexit
import io
import json
import os
import pickle
import sys
import threading
import time
from typing import Any

_SIGNATURES = 200  #: that are counted apart, a function
_KEPT = 6  #: of which the values are kept, a function
_VARARGS, _VARKEYWORDS, _GENERATORS = 0x04, 0x08, 0x20 | 0x80 | 0x200


class Recorder:
    """The counters of this process."""

    def __init__(self, folder: str) -> None:
        with open(os.path.join(folder, "wanted.json"), encoding="utf-8") as file:
            wanted = json.load(file)
        self._folder = folder
        self._cwd = os.getcwd()
        self._limits = wanted["limits"]  # bytes a call and in all, seconds in all
        self._by_name: dict[str, list[dict[str, Any]]] = {}
        for item in wanted["functions"]:
            self._by_name.setdefault(item["name"].rpartition(".")[2], []).append(item)
        self._lock = threading.RLock()
        self._main = ""
        self.begin()

    def begin(self) -> None:
        """Count from zero, into files of this process."""
        self._stem = f"{os.getpid()}-{time.time_ns()}"
        self._found: dict[int, dict[str, Any]] = {}
        self._open: dict[int, tuple[dict[str, Any], float]] = {}
        self._bytes = 0
        self._copying = 0.0
        self._payloads = 0
        self._written = 0.0

    def event(self, frame: Any, event: str, _: object) -> None:
        """What Python calls at each call and return, of C functions too."""
        if event == "call":
            wanted = self._by_name.get(frame.f_code.co_name)
            if wanted is not None:
                self._called(frame, wanted)
        elif event == "return" and self._open:
            begun = self._open.pop(id(frame), None)
            if begun is not None:
                begun[0]["seconds"] += time.perf_counter() - begun[1]

    def _called(self, frame: Any, wanted: list[dict[str, Any]]) -> None:
        code = frame.f_code
        for item in wanted:
            if code.co_firstlineno == item["first_line"] and self._path(code.co_filename) == item["path"]:
                break
        else:
            return
        if code.co_flags & _GENERATORS:
            return
        try:
            with self._lock:
                entry = self._count(frame, item["number"], item["values"])
        except Exception as error:  # recording must never change what the program does
            self._function(item["number"])["problem"] = f"{type(error).__name__}: {error}"[:200]
            return
        self._open[id(frame)] = (entry, time.perf_counter())

    def _path(self, name: str) -> str:
        return os.path.normpath(os.path.join(self._cwd, name))

    def _function(self, number: int) -> dict[str, Any]:
        empty = {"number": number, "calls": 0, "callers": {}, "signatures": {}, "problem": ""}
        return self._found.setdefault(number, empty)

    def _count(self, frame: Any, number: int, with_values: bool) -> dict[str, Any]:
        """Count a call; the entry that its time is to be added to."""
        function = self._function(number)
        function["calls"] += 1
        caller = frame.f_back
        if caller is not None:
            place = f"{self._path(caller.f_code.co_filename)}:{caller.f_lineno}"
            function["callers"][place] = function["callers"].get(place, 0) + 1
        if not with_values:
            return {"seconds": 0.0}
        args, kwargs, names = _arguments(frame)
        values = [*args, *kwargs.values()]
        parts = [f"{name}: {_signature(value)}" for name, value in zip(names, values, strict=False)]
        text = ", ".join(parts) or "no arguments"
        signatures: dict[str, Any] = function["signatures"]
        entry = signatures.get(text)
        if entry is None:
            if len(signatures) >= _SIGNATURES:
                text = "others"
                entry = signatures.get(text)
            if entry is None:
                entry = signatures[text] = {"calls": 0, "seconds": 0.0, "elements": 0, "payload": "", "why": ""}
                entry["elements"] = max(map(_elements, values), default=0)
                if text != "others":
                    self._keep(function, entry, args, kwargs, names)
        entry["calls"] += 1
        if time.perf_counter() > self._written + 1.0:
            self.write()
        return entry

    def _keep(
        self, function: dict[str, Any], entry: dict[str, Any], args: list[Any], kwargs: dict[str, Any], names: list[str]
    ) -> None:
        kept = [item for item in function["signatures"].values() if item["payload"]]
        replaced = None
        if len(kept) >= _KEPT:  # the smallest and the largest inputs say most about where the border lies
            sizes = sorted(item["elements"] for item in kept)
            if sizes[0] <= entry["elements"] <= sizes[-1]:
                return
            end = sizes[-1] if entry["elements"] > sizes[-1] else sizes[0]
            replaced = next(item for item in kept if item["elements"] == end)
        values = [*args, *kwargs.values()]
        size = sum(map(_bytes, values))
        if size > self._limits["bytes_per_call"]:
            entry["why"] = f"{size / 2**20:,.0f} MiB of arguments are more than --record-limit"
        elif self._bytes + size > self._limits["bytes"] or self._copying > self._limits["seconds"]:
            entry["why"] = "enough was recorded before it"
        elif shared := _shared(names, values):
            entry["why"] = f"{shared} share memory"
        else:
            start = time.perf_counter()
            data, entry["why"] = _pickled(args, kwargs, names)
            self._copying += time.perf_counter() - start
            if data is not None:
                self._payloads += 1
                entry["payload"] = f"{self._stem}-{self._payloads}.pickle"
                with open(os.path.join(self._folder, entry["payload"]), "wb") as file:
                    file.write(data)
                self._bytes += len(data)
                if replaced is not None:
                    os.remove(os.path.join(self._folder, replaced["payload"]))
                    replaced["payload"], replaced["why"] = "", "others were kept"
                self.write()

    def write(self) -> None:
        """Write the index."""
        self._written = time.perf_counter()
        path = os.path.join(self._folder, self._stem + ".json")
        main = getattr(sys.modules.get("__main__"), "__file__", None)
        self._main = self._path(main) if main else self._main  # Python takes the name away before it ends
        document = {
            "main": self._main,
            "path": [self._path(entry) for entry in sys.path],
            "copying": self._copying,
            "functions": list(self._found.values()),
        }
        try:
            with open(path + ".part", "w", encoding="utf-8") as file:
                json.dump(document, file)
            os.replace(path + ".part", path)
        except OSError:
            pass  # the folder is gone: nobody waits for the result any more


def _arguments(frame: Any) -> tuple[list[Any], dict[str, Any], list[str]]:
    """Positional and keyword arguments of the call that has just begun, and the names of all."""
    code, scope = frame.f_code, frame.f_locals
    plain = list(code.co_varnames[: code.co_argcount])
    rest = list(code.co_varnames[code.co_argcount :])
    by_keyword = rest[: code.co_kwonlyargcount]
    rest = rest[code.co_kwonlyargcount :]
    args = [scope[name] for name in plain]
    names = list(plain)
    if code.co_flags & _VARARGS:
        name = rest.pop(0)
        args += scope[name]
        names += [f"{name}[{i}]" for i in range(len(scope[name]))]
    kwargs = {name: scope[name] for name in by_keyword}
    if code.co_flags & _VARKEYWORDS:
        kwargs.update(scope[rest.pop(0)])
    return args, kwargs, names + list(kwargs)


def _signature(value: Any, depth: int = 0) -> str:
    kind = type(value)
    if _is_array(value):
        flags = value.flags
        layout = "" if flags.c_contiguous else " F" if flags.f_contiguous else " strided"
        return f"{value.dtype}[{','.join(map(str, value.shape))}]{layout}"
    if value is None or kind is bool or (kind is str and len(value) <= 20):
        return repr(value)
    if kind is int:  # a counter must not make a signature of each value
        return f"int of {value.bit_length()} bits" if abs(value) > 1 else repr(value)
    if kind in (list, tuple) and depth < 2:
        shown = ", ".join(_signature(item, depth + 1) for item in value[:3])
        return f"{kind.__name__} of {len(value)} ({shown})"
    if kind is dict and depth < 2:
        shown = ", ".join(f"{key!r}: {_signature(item, depth + 1)}" for key, item in list(value.items())[:10])
        return f"dict of {len(value)} ({shown})"
    held = getattr(value, "__dict__", None)
    if isinstance(held, dict) and depth < 1 and not isinstance(value, type) and not callable(value):
        arrays = [f"{k}: {_signature(v, 1)}" for k, v in list(held.items())[:20] if _is_array(v)]
        return f"{kind.__qualname__}({', '.join(arrays)})"
    return kind.__qualname__


def _is_array(value: Any) -> bool:
    kind = type(value)
    return kind.__name__ == "ndarray" and kind.__module__ == "numpy"


def _arrays(value: Any, depth: int = 0) -> list[Any]:
    """The arrays in an argument: in containers and in the attributes of objects too."""
    if _is_array(value):
        return [value]
    if depth > 2:
        return []
    if type(value) in (list, tuple):
        inner = list(value[:100])
    elif type(value) is dict:
        inner = list(value.values())[:100]
    else:
        held = getattr(value, "__dict__", None)
        inner = list(held.values())[:100] if isinstance(held, dict) and not isinstance(value, type) else []
    return [array for item in inner for array in _arrays(item, depth + 1)]


def _elements(value: Any) -> int:
    return max((int(array.size) for array in _arrays(value)), default=0)


def _bytes(value: Any) -> int:
    return sum(int(array.nbytes) for array in _arrays(value))


def _shared(names: list[str], values: list[Any]) -> str:
    """Two arguments that are different arrays over the same memory: pickling would part them."""
    numpy = sys.modules.get("numpy")
    arrays = [(name, value) for name, value in zip(names, values, strict=False) if _is_array(value)]
    if numpy is None or len(arrays) > 20:
        return ""
    for i, (one, a) in enumerate(arrays):
        for other, b in arrays[i + 1 :]:
            if a is not b and numpy.may_share_memory(a, b):
                return f"{one} and {other}"
    return ""


class _Pickler(pickle.Pickler):
    """Keeps the strides of arrays: what is timed later should lie in memory as it did."""

    def reducer_override(self, value: Any) -> Any:
        if not _is_array(value) or value.dtype.hasobject or value.flags.c_contiguous or value.flags.f_contiguous:
            return NotImplemented
        steps = [(size - 1) * stride for size, stride in zip(value.shape, value.strides, strict=True)]
        below = -sum(step for step in steps if step < 0)
        span = sum(abs(step) for step in steps) + value.itemsize
        if span > 4 * value.nbytes or 0 in value.shape:
            return NotImplemented
        numpy = sys.modules["numpy"]
        memory = bytearray(span)
        numpy.ndarray(value.shape, value.dtype, memory, below, value.strides)[...] = value
        return numpy.ndarray, (value.shape, value.dtype, memory, below, value.strides)


def _pickled(args: list[Any], kwargs: dict[str, Any], names: list[str]) -> tuple[bytes | None, str]:
    """The arguments as bytes; or None and which of them could not be copied."""
    try:
        return _dump((args, kwargs)), ""
    except Exception as error:
        said = f"{type(error).__name__}: {error}"
    for name, value in zip(names, [*args, *kwargs.values()], strict=False):
        try:
            _dump(value)
        except Exception as error:
            said = f"{name} cannot be copied: {type(error).__name__}: {error}"
            break
    return None, said[:200]


def _dump(value: Any) -> bytes:
    stream = io.BytesIO()
    _Pickler(stream, protocol=4).dump(value)
    return stream.getvalue()


def start(folder: str) -> None:
    """Record in this process, and in those forked from it, until they end."""
    recorder = Recorder(folder)
    atexit.register(recorder.write)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=recorder.begin)
    threading.setprofile(recorder.event)
    sys.setprofile(recorder.event)
