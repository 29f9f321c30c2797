"""Operations, bytes and host reads of rewritten code beside code by hand, and the time that a GPU would take.

    python benchmarks/device_model.py [WORD ...] [--elements 1e6] [--options="--compile xla"] [--json FILE] [--reads]
    python benchmarks/device_model.py --copies

Each subject of ``device_programs.py`` (functions, and six whole programs) is rewritten with these options of ``np2tnp
rewrite`` (by default: none, ``--state tensor`` and ``--compile xla``), and called once to warm up and once to be
counted. The default's functions that the runtime compiles once they are hot are counted eagerly and (``hot``) so:

* launches: operations that are given to TensorFlow one by one. A call of a compiled function is one;
* up, down: bytes of ndarrays that become tensors and the other way round;
* reads: how often something is read from the device besides results, which Python waits for. `--reads` says where;
* host: what of the call's time neither TensorFlow nor OVERHEAD takes: NumPy's work, measured here.

The model of an H200: 16 µs a launch or a read, 50 GB/s up and down, 4.8 TB/s for all that operations read and write, 67
teraflops for products, and NumPy's own time on this machine, both for the speed over NumPy and for the host's part
(which is noise below a tenth of NumPy's time: code by hand has none).
Without a GPU the helpers take the forms that they take on one. Where TensorFlow sees a GPU the same calls are measured.
"""

from __future__ import annotations

import argparse
import functools
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
import types
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parent)]
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np  # noqa: E402
from device_programs import SUBJECTS, Subject  # noqa: E402

LAUNCH, WIRE, MEMORY, FLOPS = 16e-6, 50e9, 4.8e12, 67e12

#: Seconds of Python around an operation, and a call, at most: no work of NumPy's, and the 16 µs of a launch hold them.
OVERHEAD, CALL = 60e-6, 500e-6

#: Files of the runtime whose functions read results, and not to decide anything.
_RESULTS = {"_finished", "_write_back", "host", "ndarray", "host_items"}
_RUNTIME = str(Path("np2tnp") / "runtime")


@dataclass
class Count:
    """What one call did."""

    launches: int = 0
    up: int = 0
    down: int = 0
    reads: int = 0
    touched: int = 0  #: bytes that operations read and write
    flops: float = 0.0
    host: float = 0.0  #: seconds
    operations: Counter[str] = field(default_factory=Counter)
    places: Counter[str] = field(default_factory=Counter)  #: of the reads

    def seconds(self) -> float:
        """The modelled time of the call."""
        work = max(self.touched / MEMORY, self.flops / FLOPS)
        return (self.launches + self.reads) * LAUNCH + (self.up + self.down) / WIRE + work + self.host


class Watch:
    """Stands between Python and TensorFlow, and counts while it is told to."""

    def __init__(self) -> None:
        import tensorflow as tf
        from tensorflow.python import pywrap_tfe
        from tensorflow.python.framework import constant_op, ops

        self.tf: Any = tf
        self.count: Count | None = None
        self.spent = 0.0  #: seconds within TensorFlow
        self.is_within = False
        self._patch_launches(pywrap_tfe)
        self._patch_copies(ops.EagerTensor, constant_op)

    def _patch_launches(self, module: Any) -> None:
        fast, slow = module.TFE_Py_FastPathExecute, module.TFE_Py_Execute

        def fast_path(context: Any, name: str, label: Any, *inputs: Any) -> Any:
            with self.timed():
                result = fast(context, name, label, *inputs)
            self._launched(name, inputs, result)
            return result

        def execute(context: Any, device: Any, name: str, inputs: Any, *more: Any) -> Any:
            with self.timed():
                result = slow(context, device, name, inputs, *more)
            self._launched(name, inputs, result)
            return result

        module.TFE_Py_FastPathExecute, module.TFE_Py_Execute = fast_path, execute

    def _launched(self, name: str | bytes, inputs: Any, result: Any) -> None:
        count = self.count
        if count is None:
            return
        count.launches += 1
        name = name.decode() if isinstance(name, bytes) else name
        count.operations["a compiled function" if name.startswith("__") else name] += 1
        given = [part for part in _flat(inputs) if self.tf.is_tensor(part)]
        made = [part for part in _flat(result) if self.tf.is_tensor(part)]
        count.up += sum(part.nbytes for part in _flat(inputs) if type(part) is np.ndarray)
        count.touched += sum(_bytes(part) for part in given + made)
        if name in ("MatMul", "BatchMatMulV2") and len(given) > 1:
            count.flops += 2.0 * math.prod(made[0].shape) * given[0].shape[-1]

    def _patch_copies(self, kind: Any, constant_op: Any) -> None:
        create, read = kind.__init__, kind._numpy_internal

        def made(tensor: Any, value: Any, *more: Any, **named: Any) -> None:
            if self.count is not None:
                self.count.up += getattr(value, "nbytes", 8)
            with self.timed():
                create(tensor, value, *more, **named)

        def taken(tensor: Any) -> Any:
            with self.timed():
                value = read(tensor)
            if self.count is not None:
                self.count.down += value.nbytes
                # TensorFlow keeps int32 on the host, so nobody waits for a GPU there
                place = "" if tensor.dtype == self.tf.int32 else _reader()
                if place:
                    self.count.reads += 1
                    self.count.places[place] += 1
            return value

        kind.__init__, kind._numpy_internal = made, taken
        whole, convert = kind.numpy, constant_op.convert_to_eager_tensor

        def numpy(tensor: Any) -> Any:  # which copies, as what makes a tensor of an ndarray does
            with self.timed():
                return whole(tensor)

        def converted(*given: Any) -> Any:
            with self.timed():
                return convert(*given)

        kind.numpy, constant_op.convert_to_eager_tensor = numpy, converted

    def watch_runtime(self) -> None:
        """Count what the runtime reads without a copy, too."""
        from np2tnp.runtime.base import lazy_tensorflow
        from np2tnp.runtime.boundary import wrapper

        if not self.tf.config.list_physical_devices("GPU") and hasattr(lazy_tensorflow, "_on_a_device"):
            lazy_tensorflow._on_a_device = lambda *_: None  # which finds no GPU, and tries another way
        show = getattr(wrapper, "shown", None)
        if show is None:
            return

        def shown(tensor: Any) -> Any:
            with self.timed():
                value = show(tensor)
            if self.count is not None and value.base is not None:
                self.count.down += value.nbytes
            return value

        wrapper.shown = shown

    @contextmanager
    def timed(self) -> Iterator[None]:
        if self.is_within:
            yield
            return
        self.is_within, begin = True, time.perf_counter()
        try:
            yield
        finally:
            self.is_within = False
            self.spent += time.perf_counter() - begin

    @contextmanager
    def counting(self) -> Iterator[Count]:
        self.count = found = Count()
        self.spent, begin = 0.0, time.perf_counter()
        try:
            yield found
        finally:
            self.count = None
            rest = time.perf_counter() - begin - self.spent - found.launches * OVERHEAD - CALL
            found.host = max(0.0, rest)


def _flat(value: Any) -> Iterator[Any]:
    if isinstance(value, (list, tuple)):
        for part in value:
            yield from _flat(part)
    else:
        yield value


def _bytes(tensor: Any) -> int:
    size = getattr(tensor.dtype, "size", 0)
    return int(math.prod(tensor.shape) * size)


def _reader() -> str:
    """Where a tensor is read to decide something; nothing where it is a result."""
    place, frame = "", sys._getframe(2)
    while frame is not None:
        name, path = frame.f_code.co_name, frame.f_code.co_filename
        if _RUNTIME in path:
            if name in _RESULTS:
                return ""
            if not place or place.endswith((" to_ndarray", " _left")):
                place = f"{path.partition(_RUNTIME)[2][1:]}:{frame.f_lineno} {name}"
        elif path == __file__ and name == "as_result":
            return ""
        elif path == __file__ and name == "examine":
            return place or "the program itself"
        frame = frame.f_back  # type: ignore[assignment]
    return place or "the program itself"


# --- The versions of a subject


def _module(text: str, name: str, **names: Any) -> dict[str, Any]:
    module = types.ModuleType(name)
    sys.modules[name] = module
    vars(module).update(names)
    exec(compile(text, f"{name}.py", "exec", dont_inherit=True), vars(module))
    return vars(module)


@functools.cache
def rewritten(text: str, options: tuple[str, ...]) -> str:
    """The text as ``np2tnp rewrite`` writes it with these options."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "subject.py")
        file.write_text(text, encoding="utf-8")
        command = [sys.executable, "-m", "np2tnp", "rewrite", "--isolated", "--no-cache", "-q", "--apply", *options]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        subprocess.run([*command, str(file)], env=environment, check=False, capture_output=True, text=True)
        return file.read_text(encoding="utf-8")


def by_hand(subject: Subject, compiled: bool, tf: Any) -> Callable[..., Any]:
    """A function of ndarrays that keeps tensors in between."""
    import tensorflow.experimental.numpy as tnp

    space = _module(subject.hand, "by_hand", tf=tf, tnp=tnp, np=np)
    body = space["main" if subject.is_program else subject.name]
    inner = tf.function(body, jit_compile=True, autograph=False) if compiled else body

    def as_result(value: Any) -> Any:
        return value.numpy() if tf.is_tensor(value) else value

    def run(*args: Any) -> Any:
        up = [tf.constant(arg) if isinstance(arg, np.ndarray) else arg for arg in args]
        return tf.nest.map_structure(as_result, inner(*up))

    return run


@dataclass
class Row:
    """A version of a subject: what it did, and how long it takes."""

    subject: str
    version: str
    count: Count
    numpy: float
    measured: float | None = None
    agrees: bool = True
    error: str = ""

    def speed(self) -> float:
        """The modelled speed over NumPy; 1 where NumPy did it all."""
        worked = self.count.launches or self.count.up
        return self.numpy / self.count.seconds() if worked else 1.0


def _agree(one: Any, two: Any) -> bool:
    first, second = (np.concatenate([np.ravel(part) for part in _flat(value)]) for value in (one, two))
    return first.shape == second.shape and bool(np.allclose(first, second, rtol=1e-6, atol=1e-6))


def examine(subject: Subject, n: int, versions: dict[str, Callable[[], Any]], counter: Watch) -> list[Row]:
    arguments = subject.arguments(n, np.random.default_rng(0))
    name = "main" if subject.is_program else subject.name
    original = _module(subject.text, "subject_numpy")[name]
    expected, spent = _timed(original, arguments)
    rows = []
    for version, make in versions.items():
        row = Row(subject.name, version, Count(), spent)
        try:
            function = make()
            for _ in range(2):
                function(*copies(arguments))
            for _ in range(2):
                given = copies(arguments)
                with counter.counting() as count:
                    result = function(*given)
                count.host = min(count.host, row.count.host) if row.count.launches else count.host
                row.count = count
            row.agrees = _agree(result, expected)
            if counter.tf.config.list_physical_devices("GPU"):
                row.measured = _timed(function, arguments)[1]
        except Exception as error:
            row.error = f"{type(error).__name__}: {error}".splitlines()[0][:100]
        rows.append(row)
    return rows


def copies(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(arg.copy() if isinstance(arg, np.ndarray) else arg for arg in arguments)


def _timed(function: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[Any, float]:
    """The result, and the shortest of up to five calls within two seconds."""
    times: list[float] = []
    result = None
    while len(times) < 2 or (len(times) < 5 and sum(times) < 2):
        given = copies(arguments)
        begin = time.perf_counter()
        result = function(*given)
        times.append(time.perf_counter() - begin)
    return result, min(times)


# --- The table


def show(rows: list[Row], hand: str) -> None:
    """One line a subject and version; beside its counts how they stand to those of the version by hand."""
    last = ""
    by_name = {(row.subject, row.version): row for row in rows}
    print(f"{'':18}{'version':18}{'launches':>9}{'up MB':>9}{'down MB':>9}{'reads':>6}{'host ms':>8}", end="")
    print(f"{'model ms':>10}{'x NumPy':>9}{'bytes/hand':>11}{'launch/hand':>12}{'measured ms':>12}")
    for row in rows:
        count, other = row.count, by_name.get((row.subject, hand))
        print(f"{row.subject if row.subject != last else '':18}{row.version:18}", end="")
        last = row.subject
        if row.error:
            print(f"  {row.error}")
            continue
        print(f"{count.launches:>9}{count.up / 1e6:>9.2f}{count.down / 1e6:>9.2f}{count.reads:>6}", end="")
        print(f"{count.host * 1e3:>8.1f}{count.seconds() * 1e3:>10.3f}{row.speed():>9.1f}", end="")
        if other is not None and not other.error:
            moved = (count.up + count.down) / max(other.count.up + other.count.down, 1)
            print(f"{moved:>11.2f}{count.launches / max(other.count.launches, 1):>12.2f}", end="")
        print(f"{row.measured * 1e3:>12.3f}" if row.measured is not None else f"{'':>12}", end="")
        print("" if row.agrees else "  DIFFERS", flush=True)


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("words", nargs="*", metavar="WORD", help="subjects whose names hold it (default: all)")
    parser.add_argument("--elements", type=float, default=1e6)
    parser.add_argument("--options", action="append", help="of np2tnp rewrite; may be repeated")
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--copies", action="store_true", help="measure what the boundary copies, and nothing else")
    parser.add_argument("--reads", action="store_true", help="say where values are read to decide something")
    parser.add_argument("--operations", action="store_true", help="say which operations are launched")
    options = parser.parse_args(argv)

    if options.copies:
        return copy_times()
    counter = Watch()
    has_gpu = bool(counter.tf.config.list_physical_devices("GPU"))
    if not has_gpu:
        from np2tnp.runtime.base import hardware

        hardware._found = True  # so that helpers take a GPU's forms, and the size test is that of a GPU
    counter.tf.experimental.numpy.experimental_enable_numpy_behavior()
    emitted = options.options if options.options is not None else ["", "--state tensor", "--compile xla"]
    print(
        f"{options.elements:g} elements, float64; {'measured too' if has_gpu else 'no GPU here: counted and modelled'}"
    )
    chosen = [it for it in SUBJECTS if not options.words or any(word in it.name for word in options.words)]
    found: list[Row] = []
    for versions in (
        _by_hand,
        lambda subject, tf: _emitted(subject, emitted),
    ):  # the runtime changes tensors' operators
        if versions is not _by_hand:
            counter.watch_runtime()
        for subject in chosen:
            found += examine(subject, int(options.elements), versions(subject, counter.tf), counter)
    found.sort(key=lambda row: [it.name for it in chosen].index(row.subject))
    show(found, "by hand")
    if options.reads or options.operations:
        for row in found:
            for place, times in row.count.places.items() if options.reads else ():
                print(f"{row.subject}, {row.version}: {times} x {place}")
            if options.operations:
                print(f"{row.subject}, {row.version}: {dict(row.count.operations)}")
    if options.json:
        Path(options.json).write_text(json.dumps([asdict(row) for row in found], indent=1), encoding="utf-8")
    return 0 if all(row.agrees and not row.error for row in found) else 1


def copy_times() -> int:
    """What goes to TensorFlow and back, beside the ways that copy twice, by turns in one run."""
    import tensorflow as tf

    from np2tnp.runtime.base import dispatch, lazy_tensorflow

    lazy_tensorflow.begin()
    for shape in ((10, 10), (100, 100), (400, 400), (1000, 1000), (10_000_000,)):
        array, target = np.random.default_rng(0).normal(size=shape), np.empty(shape)
        tensor = tf.constant(array)

        def write(values: Any, target: Any = target) -> None:
            np.copyto(target, values)

        pairs = {
            "up": (lambda: tf.constant(array), lambda: dispatch.to_tensor(array)),  # noqa: B023
            "an update back": (lambda: write(tensor.numpy()), lambda: write(dispatch.shown(tensor))),  # noqa: B023
        }
        for name, functions in pairs.items():
            times: list[list[float]] = [[], []]
            for _ in range(2000 if array.size <= 10_000 else 15):
                for function, spent in zip(functions, times, strict=True):
                    begin = time.perf_counter()
                    function()
                    spent.append(time.perf_counter() - begin)
            before, after = (statistics.median(spent) * 1e6 for spent in times)
            print(f"{array.nbytes:>12,} bytes, {name:15} {before:>10.1f} -> {after:>10.1f} us, x{before / after:.2f}")
    return 0


def _by_hand(subject: Subject, tf: Any) -> dict[str, Callable[[], Any]]:
    return {"by hand": lambda: by_hand(subject, False, tf), "by hand, compiled": lambda: by_hand(subject, True, tf)}


def _emitted(subject: Subject, emitted: Sequence[str]) -> dict[str, Callable[[], Any]]:
    name = "main" if subject.is_program else subject.name

    def version(words: tuple[str, ...], compiles: str) -> Callable[[], Any]:
        def made() -> Any:
            os.environ["NP2TNP_COMPILE"] = compiles  # what is hot is compiled at the first call, or never
            return _module(rewritten(subject.text, words), f"subject_{abs(hash((words, compiles)))}")[name]

        return made

    found = {it or "default": version(tuple(it.split()), "1" if "auto" in it else "0") for it in emitted}
    if "default" in found:
        found["default, hot"] = version((), "1")
    return found


if __name__ == "__main__":
    if "MALLOC_MMAP_THRESHOLD_" not in os.environ:  # memory that goes back to the system at once is no work of NumPy's
        os.environ.update(MALLOC_MMAP_THRESHOLD_="33554432", MALLOC_TRIM_THRESHOLD_="17179869184")
        os.execv(sys.executable, [sys.executable, *sys.argv])
    sys.exit(main())
