"""Statements about the next hospital, where the truth of every hospital is known."""

import numpy as np
import pytest
from scipy.special import expit, logit, ndtr

from steadycut import PatientScores, fit
from steadycut.core.bootstrap.draws import draw_thresholds
from steadycut.core.bootstrap.within_groups import group_cells, group_codes
from steadycut.core.bounds.binomial import upper_limit
from steadycut.core.confusion import Confusion
from steadycut.core.cuts.grid import exact_cuts
from steadycut.core.next_site import SiteResult, next_site
from steadycut.core.records import Costs
from steadycut.core.rules.registry import parse_rule

pytestmark = pytest.mark.validity

LEVEL = 0.9
DRAWS = [pytest.param(1, id="short"), pytest.param(10, id="full", marks=pytest.mark.slow)]


def at_least(share, promised, n):
    """Not below the promise by more than three Monte Carlo standard errors."""
    return share >= promised - 3 * np.sqrt(promised * (1 - promised) / n)


def says(counts, **given):
    """What hospitals with these counts say, their cut-off fixed by others."""
    results = [SiteResult(site=str(k), threshold=0.0, counts=one) for k, one in enumerate(counts)]
    return next_site(results, Costs(), level=LEVEL, **given)


def logit_normal(tau, shape, rng):
    return expit(logit(0.1) + tau * rng.normal(size=shape))


def one_is_bad(_, shape, rng):
    return np.where(rng.random(shape) < 0.1, 0.35, 0.1)


@pytest.mark.parametrize("times", DRAWS)
@pytest.mark.parametrize("n_sites", [3, 10])
@pytest.mark.parametrize(
    ("rates", "tau"), [(logit_normal, 0.6), (logit_normal, 1.0), (one_is_bad, 0)]
)
def test_limits_hold_at_the_next_hospital_and_the_pooled_one_does_not(rates, tau, n_sites, times):
    rng, n_draws, n = np.random.default_rng(1), 300 * times, 300
    true = rates(tau, (n_draws, n_sites + 1), rng)
    wrong = rng.binomial(n, true[:, :-1])
    held = np.zeros(3)
    for errors, there in zip(wrong.tolist(), true[:, -1], strict=True):
        half = [(x // 2, x - x // 2) for x in errors]
        said = says([Confusion(tp=150 - x, fn=x, fp=y, tn=150 - y) for x, y in half])
        pooled = upper_limit(sum(errors), n * n_sites, 1 - LEVEL)
        # Where no normal limit is given, the worst hospital's counts.
        normal = said.worst.limit if said.normal.limit is None else said.normal.limit
        held += there <= np.array([said.worst.limit, normal, pooled])
    worst, normal, pooled = held / n_draws
    assert at_least(worst, said.worst.promise, n_draws)
    # One bad hospital in ten is not normal.
    assert at_least(normal, 0.87 if rates is one_is_bad else LEVEL, n_draws)
    assert rates is one_is_bad or not at_least(pooled, LEVEL, n_draws)


@pytest.mark.parametrize("times", DRAWS)
@pytest.mark.parametrize("n_sites", [5, 20])
@pytest.mark.parametrize("deserve", [0.5, 0.8])
def test_shares_of_hospitals_are_not_overstated(deserve, n_sites, times):
    """Hospitals that do not deserve to pass are just at the edge: a test lets some of them pass."""
    rng, n_draws, n, ill = np.random.default_rng(2), 200 * times, 100, 20
    # An average cost of 0.02 at good hospitals, else that of calling nobody.
    good = rng.random((n_draws, n_sites)) < deserve
    misses = rng.binomial(ill, np.where(good, 0.1, 0.5))
    alarms = rng.binomial(n - ill, np.where(good, 0.0, 0.125))
    held, naive = np.zeros(2), 0
    for x, y in zip(misses.tolist(), alarms.tolist(), strict=True):
        counts = [
            Confusion(tp=ill - a, fn=a, fp=b, tn=n - ill - b) for a, b in zip(x, y, strict=True)
        ]
        alone, both = says(counts).share, says(counts, cost_there=ill / n - 1e-9).share
        together = max(both.useful.at_least, both.cost.at_least)
        held += alone.useful.at_least <= deserve, together <= deserve
        naive += alone.useful.passed / n_sites <= deserve
    assert all(at_least(share, LEVEL, n_draws) for share in held / n_draws)
    # The observed share itself does not hold.
    assert not at_least(naive / n_draws, LEVEL, n_draws)


def hospitals(n_sites, rng, spread):
    """Mean scores of the well, distances of the ill, and prevalences."""
    moved = spread * rng.normal(size=n_sites)
    return moved, np.full(n_sites, 1.5), expit(logit(0.35) + spread * rng.normal(size=n_sites))


def patients_of(moved, distance, prevalence, sizes, rng):
    sites = np.repeat(np.arange(len(sizes)), sizes)
    labels = rng.random(sites.size) < prevalence[sites]
    scores = moved[sites] + distance[sites] * labels + rng.normal(size=sites.size)
    return PatientScores(
        scores=scores, labels=labels.astype(int), sites=[f"h{site}" for site in sites]
    )


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("times", DRAWS)
@pytest.mark.parametrize("rule", ["stable", "erm"])
@pytest.mark.parametrize("n_sites", [3, 6])
def test_cut_offs_of_the_other_hospitals_hold_as_often_as_promised(n_sites, rule, times):
    rng, n_draws, n, held = np.random.default_rng(3), 80 * times, 120, np.zeros(3)
    for seed in range(n_draws):
        moved, distance, prevalence = hospitals(n_sites + 1, rng, 0.8)
        patients = patients_of(moved, distance, prevalence, [n] * n_sites, rng)
        study = fit(patients, rule=rule, n_bootstrap=2, seed=seed)
        said = study.next_site
        cuts = np.array([*(row.threshold for row in said.rows), study.threshold])
        miss, alarm = ndtr(cuts - moved[-1] - distance[-1]), ndtr(moved[-1] - cuts)
        cost = prevalence[-1] * miss + (1 - prevalence[-1]) * alarm
        below = prevalence[-1] * miss + (1 - prevalence[-1]) * (1 - alarm)
        between = np.abs(below[:-1] - below[-1]).max()
        held += (
            any(one <= row.limit for one, row in zip(cost, said.rows, strict=False)),
            cost[-1] <= said.worst.limit + between,
            cost[-1] <= study.certificate.value,
        )
    left_out, with_between, certificate = held / n_draws
    assert at_least(left_out, said.worst.promise, n_draws)
    assert at_least(with_between, said.worst.promise, n_draws)
    # The certificate is about patients like these, and it fails at another hospital.
    assert not at_least(certificate, LEVEL, n_draws)


@pytest.mark.parametrize("times", DRAWS)
@pytest.mark.parametrize(("n_sites", "least"), [(3, 0.7), (10, 0.85)])
@pytest.mark.parametrize("rate", ["sensitivity", "specificity"])
def test_a_mean_rate_at_the_next_hospital_is_kept(rate, n_sites, least, times):
    """Large hospitals have the easier patients, so the rule of all patients together fails."""
    rng, n_draws = np.random.default_rng(4), 400 * times
    found, rules = [], [parse_rule(f"{rate}:{least}{end}") for end in ("@next-site", "")]
    ill = rate == "sensitivity"
    for _ in range(n_draws):
        large = rng.random(n_sites + 1) < 0.3
        moved = np.zeros(large.size) if ill else -1.0 * large
        distance = 1.5 + 1.0 * large
        prevalence = np.full(large.size, 0.5)
        patients = patients_of(moved, distance, prevalence, np.where(large[:-1], 200, 20), rng)
        cuts = exact_cuts(patients)
        groups = group_cells(cuts, patients, group_codes(patients, "site"))
        chosen = [
            draw_thresholds(cuts, rule, Costs(), 0, rng, by_site).threshold
            for rule, by_site in zip(rules, (groups, None), strict=True)
        ]
        wrong = [
            ndtr(cut - moved[-1] - distance[-1]) if ill else ndtr(moved[-1] - cut) for cut in chosen
        ]
        found.append(1 - np.array(wrong))
    means, errors = np.mean(found, axis=0), np.std(found, axis=0) / np.sqrt(n_draws)
    assert means[0] >= least - 3 * errors[0]
    assert means[1] < least - 3 * errors[1]
