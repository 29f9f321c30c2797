#!/usr/bin/env bash
# Sets up everything in a virtual environment and takes fixtures/projects the whole way: check, rewrite (applied to a copy),
# and the rewritten programs, each of which checks its own results.
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

for program in "$copy"/*/; do
    name="$(basename "$program")"
    echo "== $name: original and rewritten"
    "$python" "fixtures/projects/$name/$name.py" >"$copy/$name.before"
    "$python" "$copy/$name/$name.py" >"$copy/$name.after"
    cat "$copy/$name.after"
    diff "$copy/$name.before" "$copy/$name.after"
done
echo "== all programs print the same before and after"
