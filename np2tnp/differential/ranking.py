"""Which combinations of kinds of arguments look most like what people pass."""

from __future__ import annotations

from np2tnp.differential.hints import Parameter
from np2tnp.differential.inputs import ARRAY_KINDS, Profile
from np2tnp.differential.specs import Case

#: Kinds tried in the place of others of the same look, because only trying tells a (n, m) from an (m, k).
VARIANTS = {"matrix": ("turned", "inner", "masks", "grid"), "vector": ("other",), "integers": ("mask",)}


def _weight(parameter: Parameter, kind: str) -> float:
    for general, variants in VARIANTS.items():
        if kind in variants:
            return 0.7 * parameter.kinds.get(general, 0.0)
    return parameter.kinds.get(kind, 100.0)


def plausibility(profile: Profile) -> float:
    """How much `profile` looks like what people pass: 1 where every kind is its parameter's likeliest."""
    shares = [
        _weight(parameter, kind) / max(parameter.kinds.values()) for parameter, kind in profile if kind != "default"
    ]
    return min([1.0, *shares])


def best(found: list[tuple[float, Profile, Case]], enough: int) -> list[tuple[Profile, Case]]:
    """The plausible ones, with arrays first: a string where numbers belong proves nothing even if it returns."""
    plausible = [item for item in found if item[0] >= 0.1] or found

    def rank(item: tuple[float, Profile, Case]) -> tuple[bool, bool, float]:
        has_arrays = any(kind in ARRAY_KINDS or kind == "given" for _, kind in item[1])
        return (item[0] < 0.4, not has_arrays, -item[0])

    return [(profile, case) for _, profile, case in sorted(plausible, key=rank)[:enough]]
