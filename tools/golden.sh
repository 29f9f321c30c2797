#!/usr/bin/env bash
# Shows that a change of the code changes nothing that np2tnp writes or says:
#
#   tools/golden.sh write LIST       before the change, and again after it into another file
#   tools/golden.sh compare OLD NEW  counts what is equal and names what differs; exit status 1 if anything does
#
# A list has the SHA-256 of every rewritten text and of every JSON report, under ten sets of options, over fixtures/ and
# third-party sources (benchmarks/golden.py says which); text and report come of one analysis. An eleventh set, `check`, has
# the reports of `check`, which reads by another parser. `write` takes some 40 s of CPU a set; more arguments of it:
#
#   --cache DIR        where the sources are, or are downloaded to (default: np2tnp-golden in the user's cache folder)
#   --sets NAME,...    only these sets, such as default,xla
#   --jobs N           so many sets at a time (default 1)
#
# PYTHON names an interpreter that has libcst; without it a virtual environment is made (tools/environment.sh).
set -euo pipefail
cd_back="$PWD"
cd "$(dirname "$0")/.."
root="$PWD"
if [ -n "${PYTHON:-}" ]; then
    python="$PYTHON"
else
    source tools/environment.sh
    python="$(cd "$(dirname "$python")" && pwd)/$(basename "$python")"
    "$python" -c 'import libcst' 2>/dev/null || "$python" -m pip install --quiet --editable .
fi
cd "$cd_back"
# The order of sets of texts is no part of what is compared.
PYTHONHASHSEED=0 exec "$python" "$root/benchmarks/golden.py" "$@"
