"""``--random tf``: random numbers are drawn on the device, from another stream of the same distributions."""

from __future__ import annotations

from dataclasses import dataclass

from np2tnp.guests.guest import Guest

#: What ``rt.random`` draws on the device, of numpy.random and its generators. All other draws keep NumPy's generator:
#: nobody has needed the rest, and shuffle works in place.
DRAWS = frozenset(
    "beta binomial chisquare choice exponential f gamma geometric gumbel integers laplace logistic lognormal"
    " negative_binomial normal pareto permutation poisson power rand randint randn random random_sample ranf rayleigh"
    " sample standard_cauchy standard_exponential standard_gamma standard_normal standard_t triangular uniform wald"
    " weibull".split()
)


@dataclass(frozen=True, kw_only=True)
class RandomTf:
    """numpy: NumPy's own stream; tf: the device's."""

    random: str = "numpy"


def _of_api(name: str) -> str:
    owner, _, short = name.rpartition(".")
    if not owner.startswith("numpy.random") or short not in DRAWS:
        return ""
    drawn = f"rt.random.{short}" if owner == "numpy.random" else f"rt.random.stream(rng).{short}"
    return f"with --random tf: {drawn}, of the same distribution, in another stream"


RANDOM_TF = Guest(
    RandomTf,
    "random numbers: NumPy's own stream, or TensorFlow's generators (same distributions, other numbers)",
    choices=("numpy", "tf"),
    in_memory=True,
    docs={
        ("TNP601", "does"): (
            "--random tf draws arrays on the device, from the same distributions; each draw takes its seed from"
            " NumPy's generator, so that seeding it anywhere makes the draws reproducible."
        ),
        ("TNP601", "safety"): "With --random tf all numbers are others.",
    },
    of_api=_of_api,
    hooks="np2tnp.guests.random_tf.draws",
)
