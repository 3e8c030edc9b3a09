"""How often two upper bands of the modulus hold, and how far above it they lie.

At a width of 0.1 and at the bootstrap radius r of the same patients: the mean of the true modulus,
of the empirical one and of either band, and how often each band held. "all" says how often it held
at every one of 60 widths at once, which is what both promise with probability 1 - DELTA.

Run: python benchmarks/studies/modulus_band.py [--replicates 500]
"""

import sys
from functools import cache
from pathlib import Path

import numpy as np
from scipy.special import ndtr, stdtr

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.studies.pieces import OneByOne, means_of, options, store
from steadycut.core.bootstrap.draws import bootstrap_radius, draw_thresholds
from steadycut.core.bounds.modulus import dkw_band, modulus
from steadycut.core.bounds.multiscale import multiscale_band
from steadycut.core.cuts.grid import even_cuts
from steadycut.core.records import Costs, PatientScores
from steadycut.core.rules.registry import ERM

DELTA = 0.1
REPLICATES = 50
PREVALENCE = 0.4
STARTS = np.linspace(-8, 10, 1801)
ALL_WIDTHS = np.geomspace(0.001, 20, 60)
BANDS = {"dkw": dkw_band, "multiscale": multiscale_band}


def binormal(labels, rng):
    return rng.normal(size=labels.size) + 1.5 * labels


def binormal_below(t):
    return ndtr(t), ndtr(t - 1.5)


def heavy(labels, rng):
    return rng.standard_t(1.5, size=labels.size) * (1 + labels) + labels


def heavy_below(t):
    return stdtr(1.5, t), stdtr(1.5, (t - 1) / 2)


def tenths(labels, rng):
    """Binormal scores reported to one decimal, those below 0 as 0: ties and one large atom."""
    return np.maximum(np.floor(binormal(labels, rng) * 10), 0) / 10


def tenths_below(t):
    # A score below t is a tenth below t: its raw value lies below the next tenth.
    edge = np.ceil(np.round(t * 10, 6)) / 10
    return tuple(np.where(edge > 0, share, 0.0) for share in binormal_below(edge))


POPULATIONS = {
    "binormal": (binormal, binormal_below),
    "heavy tails": (heavy, heavy_below),
    "tenths": (tenths, tenths_below),
}


def true_modulus(below, width, costs):
    (h0, d0), (h1, d1) = below(STARTS), below(STARTS + width)
    weighted = costs.cost_fn * PREVALENCE * (d1 - d0) + costs.cost_fp * (1 - PREVALENCE) * (h1 - h0)
    return weighted.max()


def draw_cohort(draw, n, rng):
    labels = (rng.random(n) < PREVALENCE).astype(int)
    labels[:2] = [0, 1]
    return PatientScores(scores=draw(labels, rng), labels=labels)


def radius_of(cohort, costs, rng):
    draws = draw_thresholds(even_cuts(cohort), ERM, costs, REPLICATES, rng)
    return bootstrap_radius(draws.threshold, draws.thresholds, DELTA).radius


@cache
def truth_everywhere(name, costs):
    """Return the true modulus at all widths."""
    below = POPULATIONS[name][1]
    return np.array([true_modulus(below, width, costs) for width in ALL_WIDTHS])


def one_study(name, n, costs, rng):
    """Return the modulus and its bands at 0.1 and at the radius, and which bands held."""
    draw, below = POPULATIONS[name]
    cohort = draw_cohort(draw, n, rng)
    found = {}
    for at, width in (("0_1", 0.1), ("r", radius_of(cohort, costs, rng))):
        truth = true_modulus(below, width, costs)
        found |= {f"truth_at_{at}": truth, f"raw_at_{at}": modulus(cohort, width, costs)}
        for kind, band in BANDS.items():
            found[f"{kind}_at_{at}"] = band(cohort, width, costs, DELTA)
    for kind, band in BANDS.items():
        found[f"{kind}_held_at_r"] = found[f"{kind}_at_r"] >= truth - 1e-9
        everywhere = np.array([band(cohort, width, costs, DELTA) for width in ALL_WIDTHS])
        found[f"{kind}_held_at_all"] = np.all(everywhere >= truth_everywhere(name, costs) - 1e-9)
    return found


def main():
    asked = options("modulus_band", __doc__, 500, 2026)
    settings = {
        f"{name}, {costs.cost_fn:g}:1, {n}": (name, n, costs)
        for name in POPULATIONS
        for costs in (Costs(), Costs(cost_fn=3.0))
        for n in (40, 100, 500)
    }
    means = means_of(settings, OneByOne(one_study), asked)
    rows = [
        {"population": name, "costs": f"{costs.cost_fn:g}:1", "patients": n} | means[key]
        for key, (name, n, costs) in settings.items()
    ]
    store(asked, {"delta": DELTA, "widths": ALL_WIDTHS.size, "rows": rows})


if __name__ == "__main__":
    main()
