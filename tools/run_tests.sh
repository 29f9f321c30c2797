#!/usr/bin/env bash
# Sets up everything in a virtual environment and runs the tests. More arguments go to pytest.
set -euo pipefail
cd "$(dirname "$0")/.."
source tools/environment.sh
"$python" -m pip install --quiet --editable '.[dev]'
"$python" -m pytest -n 2 --dist loadfile "$@"
