"""How often two upper bands of the modulus hold, and how far above it they lie.

At a width of 0.1 and at the bootstrap radius r of the same patients: the mean of the true modulus,
of the empirical one and of either band, and how often each band held. "all" says how often it held
at every one of 60 widths at once, which is what both promise with probability 1 - DELTA.

Run: python benchmarks/studies/modulus_band.py
"""

import numpy as np
from scipy.special import ndtr, stdtr

from steadycut.core.bootstrap.draws import draw_thresholds
from steadycut.core.bootstrap.radius import bootstrap_radius
from steadycut.core.bounds.modulus import dkw_band, modulus
from steadycut.core.bounds.multiscale import multiscale_band
from steadycut.core.cuts.grid import even_cuts
from steadycut.core.records import Costs, PatientScores
from steadycut.core.rules.registry import ERM

DELTA = 0.1
STUDIES = 500
REPLICATES = 50
PREVALENCE = 0.4
STARTS = np.linspace(-8, 10, 1801)
ALL_WIDTHS = np.geomspace(0.001, 20, 60)
BANDS = (dkw_band, multiscale_band)


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


def setting(name, n, costs):
    """For each study and width (0.1, r): truth, empirical modulus and the two bands."""
    draw, below = POPULATIONS[name]
    rng = np.random.default_rng(n)
    truth_all = np.array([true_modulus(below, width, costs) for width in ALL_WIDTHS])
    found, held_all = [], []
    for _ in range(STUDIES):
        cohort = draw_cohort(draw, n, rng)
        widths = (0.1, radius_of(cohort, costs, rng))
        found.append([values(cohort, below, width, costs) for width in widths])
        held_all.append([holds_everywhere(band, cohort, costs, truth_all) for band in BANDS])
    return np.array(found), np.mean(held_all, axis=0)


def values(cohort, below, width, costs):
    bands = [band(cohort, width, costs, DELTA) for band in BANDS]
    return [true_modulus(below, width, costs), modulus(cohort, width, costs), *bands]


def holds_everywhere(band, cohort, costs, truth):
    found = np.array([band(cohort, width, costs, DELTA) for width in ALL_WIDTHS])
    return np.all(found >= truth - 1e-9)


def row(name, n, costs):
    found, held_all = setting(name, n, costs)
    cells = [name, f"{costs.cost_fn:g}:{costs.cost_fp:g}", str(n)]
    for truth, raw, dkw, multi in (found[:, 0].T, found[:, 1].T):
        cells += [f"{column.mean():.3f}" for column in (truth, raw, dkw, multi)]
    truth, _, dkw, multi = found[:, 1].T
    held = (np.mean(dkw >= truth - 1e-9), np.mean(multi >= truth - 1e-9), *held_all)
    return cells + [f"{share:.3f}" for share in held]


def main():
    head = ["population", "costs", "n"]
    head += [f"{x} at {w}" for w in ("0.1", "r") for x in ("truth", "raw", "dkw", "multiscale")]
    head += [f"{x} held at {w}" for w in ("r", "all") for x in ("dkw", "multiscale")]
    print("| " + " | ".join(head) + " |\n|" + "---|" * len(head))
    for name in POPULATIONS:
        for costs in (Costs(), Costs(cost_fn=3.0)):
            for n in (40, 100, 500):
                print("| " + " | ".join(row(name, n, costs)) + " |", flush=True)


if __name__ == "__main__":
    main()
