# To be sourced: makes a virtual environment (NP2TNP_VENV, default .venv) and sets `python` to its interpreter.
# PYTHON chooses the interpreter to make it with; it must be 3.10-3.13, for which TensorFlow has packages.
venv="${NP2TNP_VENV:-.venv}"
if [ ! -x "$venv/bin/python" ]; then
    base=""
    for candidate in ${PYTHON:-python3.13 python3.12 python3.11 python3.10 python3 python}; do
        if "$candidate" -c 'import sys; sys.exit(not (3, 10) <= sys.version_info < (3, 14))' 2>/dev/null; then
            base="$candidate"
            break
        fi
    done
    if [ -z "$base" ]; then
        echo "np2tnp: needs Python 3.10 to 3.13; name one: PYTHON=/path/to/python3.12 $0" >&2
        exit 2
    fi
    "$base" -m venv "$venv"
    "$venv/bin/python" -m pip install --quiet --upgrade pip
fi
python="$(cd "$venv/bin" && pwd)/python" # absolute: scripts change directory
export TF_CPP_MIN_LOG_LEVEL="${TF_CPP_MIN_LOG_LEVEL:-2}"
