#!/usr/bin/env bash
# Every measurement that needs a GPU, one after the other, into one folder:
#
#   tools/measure_gpu.sh FOLDER              on a machine with a GPU: 1 to 2 hours
#   tools/measure_gpu.sh --rehearse FOLDER   small sizes, with a second logical CPU device in the place of the GPU
#
# PYTHON names an interpreter that has TensorFlow already; without it a virtual environment is made (tools/environment.sh).
# What fails does not keep the others from being measured; the exit status says whether anything did.
#
#   doctor.txt            hardware, driver, versions, what TensorFlow sees
#   tests.txt             the tests that need a GPU
#   basics-float32/, basics-float64/
#                         sort, matmul (5000 x 5000 too), tanh, FFT and sigmoid up to 1e7 elements, CPU and GPU, with and
#                         without transfer, crossovers; np2tnp-profile.json (which says that TF32 is off), charts, index.html
#   functions/            what rewritten functions of fixtures/ take over sizes, and from which size on they win
#   programs/             whole programs, eager, as graphs and under XLA
#   facts.diff            which NumPy functions the GPU computes otherwise than a CPU
set -uo pipefail
cd "$(dirname "$0")/.."
rehearse=""
if [ "${1:-}" = --rehearse ]; then
    rehearse=1
    shift
fi
folder="${1:?usage: tools/measure_gpu.sh [--rehearse] FOLDER}"
mkdir -p "$folder"
folder="$(cd "$folder" && pwd)"
if [ -n "${PYTHON:-}" ]; then
    python="$PYTHON"
else
    set -e
    source tools/environment.sh
    "$python" -m pip install --quiet --editable '.[profile,dev]' tensorflow[and-cuda] nvidia-ml-py
    set +e
fi
export PYTHONPATH="$PWD${PYTHONPATH:+:$PYTHONPATH}" TF_CPP_MIN_LOG_LEVEL="${TF_CPP_MIN_LOG_LEVEL:-2}"

device=(--device all)
sizes=(--size n=1e3..1e7:9)
edges=(--size n=32,100,316,1000,3162)
short=()
programs=(--seconds 6)
facts=(--part eager --diff)
if [ -n "$rehearse" ]; then
    device=(--device all --logical-cpus 2)
    sizes=(--size n=1e3..1e5:2)
    edges=(--size n=32,100)
    short=(--budget 0.05 --repeats 5)
    programs=(--small --seconds 0.2 --only automaton)
    facts=(--part eager --diff --only numpy.tanh --device CPU:1)
elif ! "$python" -c 'import sys, tensorflow as tf; sys.exit(not tf.config.list_physical_devices("GPU"))'; then
    echo "TensorFlow sees no GPU here (np2tnp doctor says why); --rehearse tries everything without one" >&2
    exit 2
fi

failed=()
step() { # NAME COMMAND...: its output goes to the terminal and to NAME.txt
    local name="$1"
    shift
    echo "== $name: $*"
    "$@" 2>&1 | tee "$folder/$name.txt"
    local status="${PIPESTATUS[0]}"
    [ "$status" = 0 ] || failed+=("$name ($status)")
}
profile() { "$python" -m np2tnp profile --isolated "${device[@]}" ${short[@]+"${short[@]}"} "$@"; }

step doctor "$python" -m np2tnp doctor
step tests "$python" -m pytest -q -m gpu tests
suite=("--suite" basics)
[ -z "$rehearse" ] || suite+=(--size n=1,1000)
step basics-float32 profile "${suite[@]}" --dtype float32 --output "$folder/basics-float32"
step basics-float64 profile "${suite[@]}" --dtype float64 --output "$folder/basics-float64"

mkdir -p "$folder/functions"
over() { # FILE:FUNCTION SIZES... -- ARGUMENTS...
    local what="$1" name
    shift
    name="functions/$(basename "${what%%:*}" .py)-${what##*:}"
    step "$name" profile "fixtures/$what" "$@" --slow convert --no-charts --output "$folder/$name.json"
}
over programs/03_fluid.py:divergence "${edges[@]}" --arg 'u=rng.random((n, n))' --arg 'v=rng.random((n, n))' --arg h=0.1
over programs/09_filters.py:moving_average "${sizes[@]}" --arg 'x=rng.standard_normal(n)'
over programs/14_image_ops.py:grayscale "${edges[@]}" --arg 'img=rng.random((n, n, 3))'
over programs/15_mlp_functions.py:sigmoid "${sizes[@]}" --arg 'z=rng.standard_normal(n)'
over programs/16_finance.py:black_scholes "${sizes[@]}" --arg 'S=rng.random(n) + 1' \
    --arg K=1.2 --arg T=0.5 --arg r=0.02 --arg sigma=0.3
over programs/18_statistics.py:zscore "${edges[@]}" --arg 'x=rng.standard_normal((n, n))'
over projects/heat/heat.py:solve "${edges[@]}" --arg 'u=rng.random((n, n))' --arg steps=50
over projects/nbody/nbody.py:accelerations_broadcast "${edges[@]}" --arg 'pos=rng.random((n, 3))' --arg 'mass=rng.random(n)'

step programs "$python" benchmarks/programs.py "${programs[@]}" --output "$folder/programs"
step facts "$python" -m np2tnp probe "${facts[@]}"

if [ ${#failed[@]} -gt 0 ]; then
    echo "these did not end well: ${failed[*]}" >&2
    exit 1
fi
echo "all is in $folder; results go to benchmarks/results/DATE-gpu with a README that names the commit"
