"""What is known before any label: the patients here, and the cut-offs to choose from."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from steadycut.core.adapt.menu import Item, make_menu
from steadycut.core.adapt.mix import Mix, mix
from steadycut.core.adapt.pool import HomeScores, Pool
from steadycut.core.checks import FloatArray
from steadycut.core.records import Costs, PatientScores
from steadycut.documents import guards
from steadycut.documents.canonical_json import content_hash
from steadycut.documents.parts import CostsPart
from steadycut.documents.rule import FrozenRule
from steadycut.errors import TooFewPatients
from steadycut.study.home import home_scores
from steadycut.study.new_patients import Given, as_patients

LEAST_POOL = 20
# Scores are in another unit if their middle lies farther outside what is usual than that is wide,
# or if they spread so many times as far, or as little. Real hospitals differ less.
UNIT_FACTOR = 20.0


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Situation:
    """A rule at a hospital: its patients without labels, and the cut-offs to choose from."""

    rule: FrozenRule
    sign: float
    home: HomeScores
    pool: Pool
    frozen: float
    costs: Costs
    prevalence: tuple[float, float] | None
    mixed: Mix | None
    menu: list[Item]
    prior: FloatArray

    @property
    def target(self) -> float | None:
        """The mean cost to certify, known without labels.

        With a stated prevalence it is that of calling everybody or nobody. Without, it is what the
        rule has certified; None if that is not worth anything.
        """
        if self.mixed is not None:
            return CostsPart.of(self.costs).trivial_risk(self.mixed.prevalence)
        certificate = self.rule.certificate
        return None if certificate.vacuous else certificate.value

    @property
    def menu_sha256(self) -> str:
        """The hash of the menu, which says that it was not changed after labels were seen."""
        return content_hash({"cuts": [[one.cut, one.weight] for one in self.menu]})

    def value(self, cut: float) -> float:
        """Return an oriented cut-off on the scale of the scores."""
        return self.sign * cut

    def call_rate(self, cut: float) -> float:
        """Return the share of the unlabelled patients whom a cut-off calls."""
        return 1 - self.pool.rank_of(cut)

    def nearest(self, rank: float) -> int:
        """Return the cut-off of the menu whose rank is nearest."""
        return int(np.argmin([abs(self.pool.rank_of(one.cut) - rank) for one in self.menu]))


def pool_of(
    rule: FrozenRule, given: Given, *, force: bool, key: bytes | None
) -> tuple[PatientScores, list[guards.Finding]]:
    """Return the unlabelled patients and what is odd about them."""
    several = list(given.values()) if isinstance(given, Mapping) else []
    patients = as_patients(rule, given)
    if patients.n_patients < LEAST_POOL:
        msg = (
            f"adapt needs at least {LEAST_POOL} patients without labels; got "
            f"{patients.n_patients}. Their scores say where the cut-offs lie here. Add patients "
            f"without labels, or leave the labels of {LEAST_POOL} or more random ones empty."
        )
        raise TooFewPatients(msg)
    found = guards.check_deployment(rule, patients, several, key=key)
    found = _sterner(rule, patients, found) + study_again(rule, patients)
    return patients, guards.pass_or_refuse(found, force=force)


def study_again(rule: FrozenRule, *several: PatientScores) -> list[guards.Finding]:
    """Notice the patients of the study without their labels: as many, with the same extremes."""
    scores, made = np.concatenate([one.scores for one in several]), rule.document
    extremes = float(scores.min()), float(scores.max())
    if scores.size != made.provenance.patients.total or extremes != tuple(made.score_range):
        return []
    finding = guards.Finding(
        name="same patients",
        severity=guards.REFUSE,
        found="as many patients as made the rule, with the same smallest and largest score",
        expected="such patients were used to choose and to check the cut-off",
        advice="Give patients of another hospital. Some of the study's among others are noticed "
        "only if the rule was made with fit --remember-patients.",
    )
    return [finding]


def _sterner(
    rule: FrozenRule, patients: PatientScores, findings: list[guards.Finding]
) -> list[guards.Finding]:
    """Refuse what elsewhere only warns: sites of the first hospital, and scores of another unit."""
    stop = {"site"} | ({"unit"} if is_other_unit(rule, patients) else set())
    return [replace(one, severity=guards.REFUSE) if one.name in stop else one for one in findings]


def is_other_unit(rule: FrozenRule, patients: PatientScores) -> bool:
    """Whether scores are so far from those of the rule that no change of patients explains it."""
    usual = rule.expected.usual
    return usual is not None and is_far(usual, patients.scores)


def is_far(usual: tuple[float, float], scores: FloatArray) -> bool:
    """Whether scores lie far outside a usual range, or spread far more or less than it."""
    width = usual[1] - usual[0]
    if not width:
        return False
    low, middle, high = np.quantile(scores, [0.05, 0.5, 0.95])
    away = max(usual[0] - middle, middle - usual[1])
    return bool(away > width or not 1 / UNIT_FACTOR <= (high - low) / width <= UNIT_FACTOR)


def situation_of(
    rule: FrozenRule, patients: PatientScores, prevalence: tuple[float, float] | None
) -> Situation:
    """Return the cut-offs to choose from, made without any label."""
    home, costs = home_scores(rule), rule.costs.plain
    pool, frozen = Pool.of(rule.sign * patients.scores), rule.sign * rule.threshold
    mixed = None if prevalence is None else mix(home, pool, frozen, prevalence, costs)
    menu, prior = make_menu(home, pool, frozen, costs, mixed)
    return Situation(
        rule=rule,
        sign=rule.sign,
        home=home,
        pool=pool,
        frozen=frozen,
        costs=costs,
        prevalence=prevalence,
        mixed=mixed,
        menu=menu,
        prior=prior,
    )
