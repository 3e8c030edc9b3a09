"""A few cut-offs with weights, fixed before any label is seen, and whom to label next.

Each cut-off gets its weight's share of the error probability. Their limits then hold together, so
any of them may be chosen after the labels are seen (a weighted union bound). The menu may depend on
the first hospital, on unlabelled patients and on a stated prevalence, but not on the labels, nor on
the patients whose labels certify.

Two cut-offs differ only in what they decide about patients between them. Labels of patients far
from all plausible cut-offs say nothing about which one is better. So some of the labels go to the
grey zone. Those say nothing about how often a cut-off errs, and must never certify.
"""

from dataclasses import dataclass

import numpy as np

from steadycut.core.adapt.mix import Mix, Told, told
from steadycut.core.adapt.pool import HomeScores, Pool
from steadycut.core.checks import FloatArray, IntArray
from steadycut.core.records import Costs
from steadycut.core.rules.stable import prior_mass

# All patients of the first hospital count as so many at most, in the menu.
HOME_COUNTS = 150.0
# The same in the prior, without and with a stated prevalence.
PRIOR_COUNTS = {False: 80.0, True: 150.0}
# Parts of the prior: the same score, the same rank, and anything. Labels decide between them.
PARTS = {False: (0.55, 0.35, 0.10), True: (0.0, 0.90, 0.10)}
# The same for the points of a menu, which must also hold what the first hospital did not expect.
MENU_PARTS = {False: (0.25, 0.25, 0.50), True: (0.20, 0.50, 0.30)}
# Points of the prior, and the weight of all of them.
POINTS = {False: (9, 0.50), True: (7, 0.25)}
# The weight of the most likely cut-off.
LARGEST_WEIGHT = 0.30
FROZEN, SAME_SHARE, ADAPTED, SAME_RANK, SAME_SCORE, POINT = (
    "frozen",
    "same share called",
    "adapted",
    "stated prevalence, same rank",
    "stated prevalence, same score",
    "between",
)
# Cut-offs outside this part of the prior are not plausible.
PLAUSIBLE = (0.05, 0.95)


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One cut-off of a menu; ``weight`` is its share of the error probability."""

    name: str
    cut: float
    weight: float


def prior_on(pool: Pool, home: Told, parts: tuple[float, float, float]) -> FloatArray:
    """Return the weight of every cut-off of the pool before any label is seen."""
    score, rank, anything = parts
    result = anything * prior_mass(pool.ranks[None, :])[0]
    places = np.searchsorted(pool.scores, home.cuts, side="left") / pool.scores.size
    for part, ranks in ((score, places), (rank, home.ranks)):
        counts = np.bincount(pool.nearest(ranks), home.weights, minlength=result.size)
        result += part * counts
    return result


def make_menu(
    home: HomeScores, pool: Pool, frozen: float, costs: Costs, mixed: Mix | None
) -> tuple[list[Item], FloatArray]:
    """Return the menu, and the prior weight of every cut-off of the pool.

    ``mixed`` follows a stated prevalence, if there is one. Cut-offs that decide alike about the
    pool are one: the first is kept, and has the weights of all.
    """
    stated = mixed is not None
    expected = home.prevalence if mixed is None else mixed.prevalence
    if mixed is None:
        below = home.shares_below(np.array([frozen]))
        share = home.prevalence * below[0][0] + (1 - home.prevalence) * below[1][0]
        items = [(FROZEN, frozen, LARGEST_WEIGHT), (SAME_SHARE, pool.at_rank(share), 0.20)]
    else:
        followed = mixed.told
        items = [
            (FROZEN, frozen, 0.25),
            (ADAPTED, mixed.cut, LARGEST_WEIGHT),
            (SAME_RANK, pool.at_rank(followed.rank), 0.15),
            (SAME_SCORE, followed.same_score, 0.05),
        ]
    count, weight = POINTS[stated]
    points = (np.arange(count) + 0.5) / count
    at_home = told(home, expected, costs, HOME_COUNTS)
    spread = np.cumsum(prior_on(pool, at_home, MENU_PARTS[stated]))
    cuts = pool.cuts[np.searchsorted(spread / spread[-1], points)]
    items += [(POINT, float(cut), weight / count) for cut in cuts]
    before = told(home, expected, costs, PRIOR_COUNTS[stated])
    return _merged(pool, items), prior_on(pool, before, PARTS[stated])


def _merged(pool: Pool, items: list[tuple[str, float, float]]) -> list[Item]:
    found: dict[float, Item] = {}
    for name, cut, weight in items:
        rank = pool.rank_of(cut)
        kept = found.get(rank, Item(name=name, cut=cut, weight=0.0))
        found[rank] = Item(name=kept.name, cut=kept.cut, weight=kept.weight + weight)
    return list(found.values())


def random_part(n_patients: int, size: int, rng: np.random.Generator) -> IntArray:
    """Return which patients are labelled to certify: ``size`` at random, in random order."""
    return np.asarray(rng.choice(n_patients, size, replace=False))


def grey_zone(pool: Pool, prior: FloatArray) -> tuple[float, float]:
    """Return between which scores the plausible cut-offs lie."""
    total = np.cumsum(prior) / prior.sum()
    low, high = np.searchsorted(total, PLAUSIBLE)
    return float(pool.cuts[low]), float(pool.cuts[high])


def grey_part(
    scores: FloatArray, zone: tuple[float, float], size: int, rng: np.random.Generator
) -> IntArray:
    """Return which patients are labelled to choose: up to ``size`` at random in the grey zone."""
    inside = np.flatnonzero((scores >= zone[0]) & (scores < zone[1]))
    return np.asarray(rng.choice(inside, min(size, inside.size), replace=False))
