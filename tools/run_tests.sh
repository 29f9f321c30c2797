#!/usr/bin/env bash
# Sets up everything in a virtual environment and runs the tests. More arguments go to pytest.
set -euo pipefail
cd "$(dirname "$0")/.."
source tools/environment.sh
"$python" -m pip install --quiet --editable '.[dev]'
# The tests start a few hundred processes, which compile our modules each time where nobody may write them down.
"$python" -m compileall -q np2tnp
# Halves of the files, and whoever is done takes over from the other one.
"$python" -m pytest -n 2 --dist worksteal "$@"
