"""How often the limits of a survival study hold, where the truth is known.

Decided before looking. A score S is standard normal. The event comes at an exponential time of rate
exp(effect * S), and the horizon is such that a given share has the event by then. Half of the
patients choose a cut-off by ``stable``, the others certify it at delta 0.1.

- *Exact*: every patient censored before the horizon counts as an error. The limit must hold in 0.90
  of the studies for any censoring, also where it depends on score and fate.
- *Weighted*: patients of known fate count by the inverse probability of not being censored. The
  limit is approximate. It must hold in 0.88 of the studies in six settings with independent
  censoring of 10 to 40 % of the patients.
- *Without censoring* both must equal the certificate of labels made by hand, to the last bit.

Measured as well: how high the limits are above the true risk, and what patients of known fate say
without weights (*plain*), which claims nothing.

Run as ``python benchmarks/studies/survival/run.py [--replicates N] [--seed N]``; it writes
``benchmarks/results/survival.json``.
"""

import argparse
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.special import ndtr

from steadycut.core.certify import certificate_of
from steadycut.core.confusion import confusion_at
from steadycut.core.records import Costs, PatientScores
from steadycut.core.survival import weighted_at
from steadycut.study.fit import make_study

RESULT = Path(__file__).parents[2] / "results" / "survival.json"
DELTA = 0.1
# Many scores between -8 and 8, to integrate over the population.
GRID = np.linspace(-8, 8, 16_001)
DENSITY = np.exp(-(GRID**2) / 2) / np.sqrt(2 * np.pi) * (GRID[1] - GRID[0])


@dataclass(frozen=True)
class Setting:
    """A population, the way patients are censored, and the share of patients it reaches."""

    name: str
    n: int
    censored: float
    how: str = "independent"
    ill: float = 0.4
    effect: float = 1.2
    cost_fn: float = 1.0
    cost_fp: float = 1.0

    @property
    def costs(self):
        return Costs(cost_fn=self.cost_fn, cost_fp=self.cost_fp)


WEIGHTED = [
    Setting("10 %", 200, 0.1),
    Setting("20 %, 100 patients", 100, 0.2),
    Setting("25 %, a miss costs 5", 400, 0.25, cost_fn=5.0),
    Setting("30 %, rare and strong", 400, 0.3, ill=0.15, effect=2.0),
    Setting("40 %", 200, 0.4),
    Setting("40 %, an alarm costs 3", 600, 0.4, ill=0.5, cost_fp=3.0),
]
ANY = [
    Setting("just before the event", 200, 0.15, "before the event"),
    Setting("only high scores", 200, 0.15, "high scores"),
    Setting("only without the event", 200, 0.15, "healthy"),
    Setting("called wrongly", 200, 0.15, "wrong"),
    Setting("nobody", 200, 0.0),
]


def chance(scores, horizon, effect):
    """Return the probability of the event by the horizon."""
    return -np.expm1(-horizon * np.exp(effect * scores))


def horizon_of(setting):
    """Return the horizon by which the share ``ill`` has the event."""
    low, high = 1e-9, 1e3
    for _ in range(100):
        middle = np.sqrt(low * high)
        share = float((DENSITY * chance(GRID, middle, setting.effect)).sum())
        low, high = (middle, high) if share < setting.ill else (low, middle)
    return low


def true_risk(setting, horizon, cut):
    """Return the true mean cost of calling scores of at least ``cut``."""
    event, called = chance(GRID, horizon, setting.effect), cut <= GRID
    losses = np.where(called, setting.cost_fp * (1 - event), setting.cost_fn * event)
    return float((DENSITY * losses).sum())


def draw(setting, horizon, rate, rng):
    """Return the patients, and their fates as nobody sees them."""
    scores = rng.normal(size=setting.n)
    time = rng.exponential(size=setting.n) / np.exp(setting.effect * scores)
    fate = time <= horizon
    if setting.how == "independent":
        lost = rng.exponential(size=setting.n) / rate if rate else np.full(setting.n, np.inf)
    else:
        wanted = {
            "before the event": fate,
            "high scores": scores > 0.5,
            "healthy": ~fate,
            "wrong": fate == (scores < 0),
        }[setting.how]
        chosen = wanted & (rng.random(setting.n) < setting.censored / max(wanted.mean(), 0.01))
        lost = np.where(chosen, 0.999 * np.minimum(time, horizon), np.inf)
    patients = PatientScores(
        scores=scores,
        time=np.minimum(np.minimum(time, lost), 1e6),
        event=time <= lost,
        horizon=horizon,
    )
    return patients, fate


def rate_of(setting, horizon, rng):
    """Return the rate of independent censoring that reaches the wanted share of patients."""
    if not setting.censored or setting.how != "independent":
        return 0.0
    scores = rng.normal(size=200_000)
    time = np.minimum(rng.exponential(size=scores.size) / np.exp(setting.effect * scores), horizon)
    wait = rng.exponential(size=scores.size)
    low, high = 1e-6, 1e4
    for _ in range(60):
        middle = np.sqrt(low * high)
        share = float(np.mean(wait / middle < time))
        low, high = (middle, high) if share < setting.censored else (low, middle)
    return low


def cell(setting, replicates, seed):
    """Return how often each limit holds, and how high it is."""
    rng, costs = np.random.default_rng(seed), setting.costs
    horizon = horizon_of(setting)
    rate = rate_of(setting, horizon, rng)
    rows = []
    while len(rows) < replicates:
        patients, fate = draw(setting, horizon, rate, rng)
        study = make_study(
            patients,
            n_bootstrap=2,
            seed=len(rows),
            delta=DELTA,
            cost_fn=setting.cost_fn,
            cost_fp=setting.cost_fp,
        )
        cut, followed = study.threshold, study.followed
        truth = true_risk(setting, horizon, cut)
        weighted = weighted_at(followed, cut, costs, DELTA)
        plain = certificate_of(confusion_at(followed.of_known_fate, cut), costs, DELTA)
        by_hand = PatientScores(scores=patients.scores, labels=fate).take(study.roles.certify)
        full = certificate_of(confusion_at(by_hand, cut), costs, DELTA)
        rows.append(
            [
                patients.n_unknown / setting.n,
                study.certificate.value >= truth,
                weighted.limit >= truth,
                plain.value >= truth,
                full.value >= truth,
                study.certificate.value - truth,
                weighted.limit - truth,
                full.value - truth,
                weighted.risk - truth,
                study.certificate.value == full.value,
            ]
        )
    means = np.mean(np.array(rows, dtype=float), axis=0).round(4).tolist()
    names = (
        *("censored", "exact_holds", "weighted_holds", "plain_holds", "all_known_holds"),
        *(
            "exact_above",
            "weighted_above",
            "all_known_above",
            "weighted_bias",
            "exact_is_all_known",
        ),
    )
    return dict(zip(names, means, strict=True))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replicates", type=int, default=800)
    parser.add_argument("--seed", type=int, default=22)
    given = parser.parse_args()
    assert ndtr(8) > 1 - 1e-12  # the grid holds the whole population
    found = {"replicates": given.replicates, "seed": given.seed, "delta": DELTA}
    for kind, settings in (("independent", WEIGHTED), ("any", ANY)):
        found[kind] = {}
        for setting in settings:
            found[kind][setting.name] = cell(setting, given.replicates, given.seed)
            print(kind, setting.name, found[kind][setting.name], flush=True)
    RESULT.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
