#!/usr/bin/env bash
# Sets up everything in a virtual environment and takes fixtures/projects the whole way: check, rewrite (applied to a copy),
# and the rewritten programs, each of which checks its own results. They work on small arrays, which rewritten functions
# leave to NumPy: each runs as it is delivered, and once with all array work in TensorFlow, whose operations are counted.
set -euo pipefail
cd "$(dirname "$0")/.."
source tools/environment.sh
"$python" -m pip install --quiet --editable '.[tf]'

echo "== np2tnp check fixtures/projects"
"$python" -m np2tnp check fixtures/projects --exit-zero

copy="$(mktemp -d)"
trap 'rm -rf "$copy"' EXIT
cp -R fixtures/projects/. "$copy"
echo "== np2tnp rewrite --apply (a copy of) fixtures/projects"
"$python" -m np2tnp rewrite --apply "$copy"

counted='
import runpy, sys
from np2tnp import runtime as rt
sys.argv = sys.argv[1:]
with rt.count_ops() as count:
    try:
        runpy.run_path(sys.argv[0], run_name="__main__")
    finally:  # it may end by sys.exit
        print(f"({count.work} operations of TensorFlow)", file=sys.stderr)
'
for program in "$copy"/*/; do
    name="$(basename "$program")"
    echo "== $name: original and rewritten"
    "$python" "fixtures/projects/$name/$name.py" >"$copy/$name.before"
    "$python" "$copy/$name/$name.py" >"$copy/$name.delivered"
    NP2TNP_ABOVE=0 "$python" -c "$counted" "$copy/$name/$name.py" >"$copy/$name.after"
    cat "$copy/$name.after"
    diff "$copy/$name.before" "$copy/$name.delivered"
    diff "$copy/$name.before" "$copy/$name.after"
done
echo "== all programs print the same before and after"
