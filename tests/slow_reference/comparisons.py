"""All comparisons by topic, and a cohort put through those that are its turn.

Not compared, and why:

- random numbers themselves: which patients are dealt or drawn, p-values by permutation or
  simulation, the bootstrap interval of a prevalence. What is made of given draws is compared. Of
  betting's 256 random orders all orders of up to five patients stand beside them, to 0.02.
- the simulated level of the multiscale band: it is taken from the product, and is checked here not
  to be below Bonferroni's. `tests/validity` measures it.
- how patients are put into rank bins, into strata of like scores and along a number into windows:
  "about as many each" is no definition. What is made of the product's bins is compared.
- `youden-kernel`, a fast Fourier transform on a grid; the last step of `pointwise`, whose map is
  compared; `stable` at a target prevalence.
- melded intervals but that of LR+, intervals of a cut that is chosen again, the explorer: they are
  made of parts that are compared.
- paths for many patients only (multinomial cells, refined blocks): these cohorts are small.
"""

import traceback
from collections import Counter

from tests.slow_reference import (
    compare_aggregates,
    compare_bounds,
    compare_covariates,
    compare_cuts,
    compare_ensembles,
    compare_hospitals,
    compare_monitor,
    compare_points,
    compare_stability,
    compare_strata,
    compare_studies,
)
from tests.slow_reference.cohorts import cohort_of
from tests.slow_reference.differences import LOOKED_AT

# Slow ones are made on every eleventh or thirty-fifth cohort; neither number goes with the nine
# kinds of cohorts, nor with what depends on odd and even seeds.
OFTEN, SOMETIMES, RARELY = 1, 11, 35

TOPICS = {
    "aggregates": {
        compare_aggregates.single_aggregators: OFTEN,
        compare_aggregates.nested_chains: OFTEN,
        compare_aggregates.tables: SOMETIMES,
        compare_aggregates.intraclass: OFTEN,
    },
    "cut-offs": {
        compare_cuts.curve: OFTEN,
        compare_cuts.smallest_risk: OFTEN,
        compare_cuts.on_the_grid: OFTEN,
        compare_cuts.stable_cut: SOMETIMES,
        compare_cuts.bootstrap: SOMETIMES,
        compare_cuts.best_by_criterion: SOMETIMES,
        compare_cuts.within_limits: SOMETIMES,
        compare_cuts.instability: SOMETIMES,
        compare_cuts.published: OFTEN,
        compare_cuts.nearest_scores: OFTEN,
    },
    "stability": {
        compare_stability.radius: OFTEN,
        compare_stability.flips: OFTEN,
        compare_stability.disagreements: OFTEN,
        compare_stability.windows: SOMETIMES,
        compare_stability.bands: SOMETIMES,
        compare_stability.two_cuts: OFTEN,
    },
    "bounds and plans": {
        compare_bounds.margins: OFTEN,
        compare_bounds.limits: OFTEN,
        compare_bounds.certificates: OFTEN,
        compare_bounds.certified_scores: OFTEN,
        compare_bounds.buehler: SOMETIMES,
        compare_bounds.bets: SOMETIMES,
        compare_bounds.plans: SOMETIMES,
        compare_bounds.rates_asked_for: OFTEN,
    },
    "other hospitals": {
        compare_hospitals.parts: OFTEN,
        compare_hospitals.intervals_of_parts: SOMETIMES,
        compare_hospitals.without_labels: OFTEN,
        compare_hospitals.mixtures: OFTEN,
        compare_hospitals.risk_without_labels: OFTEN,
        compare_hospitals.tipping_points: OFTEN,
        compare_hospitals.rescaled: OFTEN,
    },
    "operating points": {
        compare_points.values: OFTEN,
        compare_points.share_intervals: SOMETIMES,
        compare_points.melded: RARELY,
        compare_points.areas_under_curves: SOMETIMES,
        compare_points.order_statistics: SOMETIMES,
    },
    "monitor": {
        compare_monitor.risk_watch: SOMETIMES,
        compare_monitor.limits_over_time: SOMETIMES,
        compare_monitor.call_watch: OFTEN,
    },
    "strata": {
        compare_strata.boundaries: SOMETIMES,
        compare_strata.stable_boundaries: OFTEN,
        compare_strata.joint_stability: OFTEN,
        compare_strata.boundary_limits: OFTEN,
    },
    "ensembles": {
        compare_ensembles.weights: OFTEN,
        compare_ensembles.thinned: OFTEN,
        compare_ensembles.studies: SOMETIMES,
    },
    "cut-offs by covariate": {compare_covariates.like_scores: SOMETIMES},
    "whole studies and audits": {
        compare_studies.roles: SOMETIMES,
        compare_studies.figures: RARELY,
        compare_studies.candidates: SOMETIMES,
        compare_studies.other_sites: SOMETIMES,
        compare_studies.audits: RARELY,
    },
}


def answer(comparison, cohort):
    """Return the lines in which both implementations differ, and whether one of them broke."""
    try:
        return list(comparison(cohort)), False
    except Exception:  # noqa: BLE001
        return [traceback.format_exc()], True


def compare(seed):
    """Put one cohort through its comparisons; return counts by topic, and what differs."""
    cohort, counts, lines = cohort_of(seed), Counter(), []
    for topic, comparisons in TOPICS.items():
        for comparison, every in comparisons.items():
            if seed % every:
                continue
            before = LOOKED_AT["pairs"]
            found, broke = answer(comparison, cohort)
            # A cohort that a comparison has no question about was not tried.
            counts[topic, "tried"] += broke or LOOKED_AT["pairs"] > before
            counts[topic, "tracebacks" if broke else "differ"] += bool(found)
            lines += [f"cohort {seed} ({cohort.kind}), {comparison.__name__}: {x}" for x in found]
    return counts, lines
