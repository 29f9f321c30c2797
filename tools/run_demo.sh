#!/usr/bin/env bash
# Sets up everything in a virtual environment and shows on one screen what np2tnp does: the change of one function, what was
# proved of it, what was measured here, and the programs of fixtures/projects rewritten, which print what they printed.
# These work on small arrays, which rewritten functions leave to NumPy: each runs as it is delivered, and once with all array
# work in TensorFlow, whose operations are counted.
set -euo pipefail
cd "$(dirname "$0")/.."
source tools/environment.sh
"$python" -m pip install --quiet --editable '.[tf]'

copy="$(mktemp -d)"
trap 'rm -rf "$copy"' EXIT
cp -R fixtures/projects/. "$copy"
cp fixtures/shown/relax.py "$copy"
np2tnp() { PYTHONPATH="$PWD" "$python" -m np2tnp "$@"; }
# Runs a command and keeps what it writes to standard error, TensorFlow's log among it, for the case that it fails.
quietly() { "$@" 2>"$copy/log" || { cat "$copy/log" >&2; return 1; }; }

echo "== The change: np2tnp rewrite relax.py"
(cd "$copy" && np2tnp rewrite --quiet --on-unverified raise relax.py)
echo
echo "== Proved: np2tnp verify relax.py"
quietly np2tnp verify --quiet --on-unverified raise "$copy/relax.py" | grep -v '^$' | head -1
echo
echo "== Measured on this machine: np2tnp profile relax.py:relax --compile xla"
quietly np2tnp profile --quiet --no-charts --compile xla --on-unverified raise --size n=500 --output "$copy/profile.json" \
    --arg 'field=rng.standard_normal((n, n))' --arg steps=50 "$copy/relax.py:relax" | grep -E '^ *(n  |[0-9,]+ +(eager|xla)-ndarray)'
echo
echo "== Six programs: np2tnp rewrite --apply fixtures/projects (a copy)"
np2tnp check "$copy" --exit-zero | grep '^Functions'
quietly np2tnp rewrite --quiet --apply "$copy"

counted='
import runpy, sys
from np2tnp import runtime as rt
counts, *sys.argv = sys.argv[1:]
with rt.count_ops() as count:
    try:
        runpy.run_path(sys.argv[0], run_name="__main__")
    finally:  # it may end by sys.exit
        open(counts, "w").write(str(count.work))
'
for program in "$copy"/*/; do
    name="$(basename "$program")"
    "$python" "fixtures/projects/$name/$name.py" >"$copy/$name.before"
    quietly "$python" "$copy/$name/$name.py" >"$copy/$name.delivered"
    NP2TNP_ABOVE=0 quietly "$python" -c "$counted" "$copy/count" "$copy/$name/$name.py" >"$copy/$name.after"
    diff "$copy/$name.before" "$copy/$name.delivered"
    diff "$copy/$name.before" "$copy/$name.after"
    printf '%-15s prints what it printed, in NumPy and in %6s operations of TensorFlow\n' "$name" "$(cat "$copy/count")"
done
