"""The risk curve, every rule along the exact cuts and the grid, where the threshold is put."""

import random
from math import inf, ulp

import numpy as np

from paper.pointwise import instability_map
from steadycut import PatientScores
from steadycut.core.bootstrap.draws import draw_thresholds
from steadycut.core.bootstrap.resampling import replicates
from steadycut.core.cuts.grid import clear_of_scores, cut_just_below, cuts_of, operating_value
from steadycut.core.cuts.risk_curve import count_errors, risk_curve
from steadycut.core.records import Costs
from steadycut.core.rules.best_criterion import Best
from steadycut.core.rules.registry import NEEDS_VALUE, parse_rule
from steadycut.errors import NoFeasibleCut
from tests.slow_reference import criteria, cuts, pointwise, risks, stable
from tests.slow_reference.differences import all_differ, differ

N_DRAWS = 6


def patients_of(cohort):
    return PatientScores(scores=cohort.scores, labels=cohort.labels)


def costs_of(cohort, target="own"):
    wanted = cohort.target if target == "own" else target
    return Costs(cost_fn=cohort.cost_fn, cost_fp=cohort.cost_fp, target=wanted)


def draws_of(cohort, rule, grid="exact", n_draws=1, target="own"):
    """Return the product's cut, and what it chose in replicates from seed 0."""
    found = cuts_of(patients_of(cohort), grid)
    rng = np.random.default_rng(0)
    return draw_thresholds(found, parse_rule(rule), costs_of(cohort, target), n_draws, rng)


def tables_of(scores, labels):
    """Return the counts and the rank at every exact cut, call-nobody last."""
    values = [*cuts.distinct(scores), inf]
    return [risks.counts_at(scores, labels, value) for value in values], cuts.cuts_along(scores)


def curve(cohort):
    """At every score, between them and outside: a score at the threshold is called."""
    ordered = cuts.distinct(cohort.scores)
    places = sorted(
        {
            *ordered,
            *(ordered[0] - 1, ordered[-1] + 1),
            *np.mean([ordered[:-1], ordered[1:]], axis=0),
        }
    )
    found = risk_curve(patients_of(cohort), np.array(places), costs_of(cohort))
    own = cohort.cost_fn, cohort.cost_fp, cohort.target
    wanted = [risks.risk_at(cohort.scores, cohort.labels, t, *own) for t in places]
    yield from all_differ("risk", found, wanted, relative=1e-13)


def erm_rank(scores, labels, cost_fn, cost_fp, target):
    values = [*cuts.distinct(scores), inf]
    return criteria.rank_by("erm", scores, labels, values, (cost_fn, cost_fp), target)


def placed(what, threshold, scores, drawn, rank):
    """The right patients are called, and the threshold is midway up to two last bits."""
    yield from differ(f"{what}: patients below", cuts.rank_of(drawn, threshold), rank)
    wanted = cuts.midway(drawn, rank)
    size = 2 * ulp(max(*map(abs, scores), cuts.margin_of(scores)))
    yield from differ(what, threshold, wanted, absolute=size)


def smallest_risk(cohort):
    found = draws_of(cohort, "erm")
    own = cohort.cost_fn, cohort.cost_fp, cohort.target
    wanted = erm_rank(cohort.scores, cohort.labels, *own)
    yield from differ("erm", found.rank, wanted)
    yield from placed("threshold", found.threshold, cohort.scores, cohort.scores, wanted)


def on_the_grid(cohort):
    """Between two thresholds of the grid patients are not told apart."""
    n_grid = random.Random(cohort.seed).choice([2, 5, 20])  # noqa: S311
    found = draws_of(cohort, "erm", grid=n_grid)
    grid = cuts.grid_of(cohort.scores, n_grid)
    own = (cohort.cost_fn, cohort.cost_fp), cohort.target
    wanted = criteria.rank_by("erm", cohort.scores, cohort.labels, grid, *own)
    yield from differ("erm on a grid", found.rank, wanted)
    middle = cuts.middle_of_gap(cohort.scores, cohort.scores, wanted, n_grid)
    size = 4 * ulp(max(*map(abs, cohort.scores), cuts.margin_of(cohort.scores)))
    yield from differ("threshold on a grid", found.threshold, middle, absolute=size)


def stable_cut(cohort):
    wanted, mean = stable.stable_rank(cohort.scores, cohort.labels, cohort.cost_fn, cohort.cost_fp)
    found = draws_of(cohort, "stable", target=None)
    if not stable.is_tie(cohort.scores, mean):
        yield from differ("stable", found.rank, wanted)


def drawn_cohorts(cohort, cells):
    """Return the scores and labels of each replicate, from its counts between the exact cuts."""
    values = cuts.distinct(cohort.scores)
    for row in cells:
        ill, well = row[: len(values)], row[len(values) :]
        pairs = [(v, 1) for v, k in zip(values, ill, strict=True) for _ in range(k)]
        pairs += [(v, 0) for v, k in zip(values, well, strict=True) for _ in range(k)]
        yield [score for score, _ in pairs], [label for _, label in pairs]


def bootstrap(cohort):
    """The same draws, found again from the seed: the map from draws to thresholds is the same."""
    for rule in ("erm", "stable"):
        target = cohort.target if rule == "erm" else None
        found = draws_of(cohort, rule, n_draws=N_DRAWS, target=target)
        cells = cuts_of(patients_of(cohort), "exact").cells
        batches = replicates(cells, N_DRAWS, np.random.default_rng(0))
        drawn = drawn_cohorts(cohort, [row for _, batch in batches for row in batch])
        for threshold, (scores, labels) in zip(found.thresholds, drawn, strict=True):
            yield from differ("patients drawn", len(scores), len(cohort.scores))
            if rule == "erm":
                rank = erm_rank(scores, labels, cohort.cost_fn, cohort.cost_fp, target)
            else:
                rank, mean = stable.stable_rank(scores, labels, cohort.cost_fn, cohort.cost_fp)
                if stable.is_tie(scores, mean):
                    continue
            yield from placed(f"{rule} replicate", threshold, cohort.scores, scores, rank)


def some_of(cohort, names, number):
    """Return a few of the names, other ones for every cohort."""
    return random.Random(cohort.seed).sample(list(names), number)  # noqa: S311


def best_by_criterion(cohort):
    own = cohort.cost_fn, cohort.cost_fp
    tables, ranks = tables_of(cohort.scores, cohort.labels)
    for name in some_of(cohort, criteria.measures(1, 1), 5):
        wanted = criteria.best_by(name, tables, ranks, own, cohort.target)
        rule = f"max-{name}" if name in NEEDS_VALUE else name
        yield from differ(name, draws_of(cohort, rule).rank, wanted)


def within_limits(cohort):
    """Of the cuts that keep a limit the best by the partner; where there is none it is refused."""
    own = cohort.cost_fn, cohort.cost_fp
    tables, ranks = tables_of(cohort.scores, cohort.labels)
    for name, limit in some_of(cohort, criteria.LIMITS, 3):
        rule = f"{name}:{limit}"
        wanted = criteria.best_within(name, limit, tables, ranks, own, cohort.target)
        yield from differ(rule, rank_or_none(cohort, rule), wanted)
    for name, aim in some_of(cohort, criteria.AIMS, 1):
        wanted = criteria.nearest_to(name, aim, tables, ranks, own, cohort.target)
        yield from differ(f"{name}-near:{aim}", rank_or_none(cohort, f"{name}-near:{aim}"), wanted)


def rank_or_none(cohort, rule):
    parsed, along = parse_rule(rule), cuts_of(patients_of(cohort), "exact")
    try:
        if isinstance(parsed, Best):
            parsed.refuse_infeasible(along, costs_of(cohort), "here")
    except NoFeasibleCut:
        return None
    return draws_of(cohort, rule).rank


def instability(cohort):
    """Figure 1's map along the exact cuts."""
    if len(cuts.distinct(cohort.scores)) < 2:
        return
    found = count_errors(cuts_of(patients_of(cohort), "exact").cells[None, :])
    got = instability_map(found, costs_of(cohort, None))[0]
    own = cohort.scores, cohort.labels, cohort.cost_fn, cohort.cost_fp
    wanted = pointwise.instability_of(*own)
    yield from all_differ("instability", got, wanted, relative=1e-7, absolute=1e-12 * max(own[2:]))


def published(cohort):
    """A published threshold decides as before; it equals no score where a number lies between."""
    rng = random.Random(cohort.seed)  # noqa: S311
    scores = np.array(cohort.scores)
    for threshold in rng.sample(cohort.scores, min(3, len(scores))):
        moved = clear_of_scores(threshold, scores)
        calls = [score >= threshold for score in cohort.scores]
        yield from all_differ("decisions", [s >= moved for s in cohort.scores], calls)
        lower = max((s for s in cohort.scores if s < threshold), default=-inf)
        room = np.nextafter(threshold, -inf) > lower
        yield from differ("equals a score", moved in cohort.scores, not room)
        wanted = cuts.operating_value(cohort.scores, threshold)
        yield from differ("operating value", operating_value(threshold, scores), wanted)
        below = cut_just_below(threshold, scores)
        near = 1e-9 * max(1.0, abs(threshold))
        clear = [s for s in cohort.scores if s >= threshold or s < threshold - near]
        calls = [score >= threshold for score in clear]
        yield from all_differ("just below", [s >= below for s in clear], calls)


def nearest_scores(cohort):
    """The rules that look at the scores themselves; two as near up to rounding are a tie."""
    ranks = cuts.cuts_along(cohort.scores)
    targets = {
        "mean-score": criteria.mean_score(cohort.scores),
        "prevalence-score": criteria.prevalence_score(cohort.scores, cohort.labels),
    }
    size = max(1e-9 * max(map(abs, cohort.scores)), 1e-320)
    for name, target in targets.items():
        wanted, distances = criteria.nearest_score(cohort.scores, ranks, target)
        if len(distances) == 1 or distances[1] - distances[0] > size:
            yield from differ(name, draws_of(cohort, name, target=None).rank, wanted)
