"""What is known before any label: the patients here, and the cut-offs to choose from."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from steadycut.core.adapt.menu import Item, make_menu, nearest
from steadycut.core.adapt.pool import HomeScores, Pool
from steadycut.core.adapt.refit import Model, Stated, refitted
from steadycut.core.checks import FloatArray
from steadycut.core.records import Costs, PatientScores
from steadycut.documents import guards
from steadycut.documents.canonical_json import content_hash
from steadycut.documents.parts import CostsPart
from steadycut.documents.rule import FrozenRule
from steadycut.errors import BadOption, BadPatients, TooFewPatients, argument
from steadycut.rule_reader import END_TEXTS, with_ends
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
    home: HomeScores
    pool: Pool
    frozen: float
    costs: Costs
    prevalence: tuple[float, float] | None
    model: Model
    stated: Stated | None
    menu: list[Item]

    @property
    def target(self) -> float | None:
        """The mean cost to certify, known without labels.

        With a stated prevalence it is that of calling everybody or nobody. Without, it is what the
        rule has certified; None if that is not worth anything.
        """
        if self.stated is not None:
            return CostsPart.of(self.costs).trivial_risk(self.stated.prevalence)
        certificate = self.rule.certificate
        return None if certificate.vacuous else certificate.value

    @property
    def menu_sha256(self) -> str:
        """The hash of the menu, which says that it was not changed after labels were seen."""
        cuts = with_ends(END_TEXTS, [(item.cut, item.weight) for item in self.menu])
        return content_hash({"cuts": cuts})

    def value(self, cut: float) -> float:
        """Return an oriented cut-off on the scale of the scores."""
        return self.rule.sign * cut

    def call_rate(self, cut: float) -> float:
        """Return the share of the unlabelled patients whom a cut-off calls."""
        return 1 - self.pool.rank_of(cut)

    @property
    def shift(self) -> float:
        """The shift of the log odds before any label: what a stated prevalence asks for, or 0."""
        return 0.0 if self.stated is None else self.stated.shift

    def nearest_cut(self, shift: float) -> float:
        """Return the cut-off of the menu that decides most nearly as the one at a shift."""
        return self.menu[nearest(self.pool, self.menu, self.at_shift(shift))].cut

    def at_shift(self, shift: float, model: Model | None = None) -> float:
        """Return the cut-off at a shift; without one, that of the first hospital.

        One that was adapted before is not that of the first hospital, which the file still holds.
        """
        if not (shift or self.rule.document.adapted):
            return self.frozen
        return refitted(model or self.model, self.costs, shift)


def pool_of(
    rule: FrozenRule, given: Given, *, force: bool, key: bytes | None
) -> tuple[PatientScores, list[guards.Finding]]:
    """Return the unlabelled patients and what is odd about them."""
    several = list(given.values()) if isinstance(given, Mapping) else []
    patients = as_patients(rule, given)
    size = patients.scored.n_patients
    if size < LEAST_POOL + (patients.labels is not None):
        raise TooFewPatients(
            f"adapt needs at least {LEAST_POOL} patients without labels, or {LEAST_POOL + 1} with; "
            f"got {size}. Their scores say where the cut-offs lie. Add patients."
        )
    n_sites = 1 if patients.sites is None else np.unique(patients.sites).size
    if n_sites > 1:
        raise BadPatients(
            f"these patients are of {n_sites} sites, but a cut-off is adapted to one hospital. "
            f"Give those of one: {argument('external', 'NAME')}, or in Python "
            "patients.take(patients.sites == NAME)."
        )
    findings = guards.check_deployment(rule, patients, several, key=key)
    findings = _sterner(rule, patients, findings) + study_again(rule, patients)
    return patients, guards.pass_or_refuse(findings, force=force)


def study_again(rule: FrozenRule, *several: PatientScores) -> list[guards.Finding]:
    """Notice the patients of the study without their labels: as many, with the same extremes."""
    scores, made = np.concatenate([patients.scores for patients in several]), rule.document
    extremes = float(np.nanmin(scores)), float(np.nanmax(scores))
    if scores.size != made.provenance.patients.total or extremes != tuple(made.score_range):
        return []
    seen = "as many patients as made the rule, with the same smallest and largest score"
    return [guards.same_patients(seen, "such patients")]


def _sterner(
    rule: FrozenRule, patients: PatientScores, findings: list[guards.Finding]
) -> list[guards.Finding]:
    """Refuse what elsewhere only warns: sites of the first hospital, and scores of another unit.

    Such scores are so far from those of the rule that no change of patients explains it.
    """
    usual = rule.expected.usual
    other_unit = usual is not None and is_far(usual, patients.scored.scores)
    # A rule that was adapted here may be adapted here again, with other patients.
    stop = {"unit": other_unit, "site": rule.document.adapted is None}
    refused = {"severity": guards.REFUSE}
    return [replace(note, **refused if stop.get(note.name) else {}) for note in findings]


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
    model, scores = Model.of(home), rule.sign * patients.scored.scores
    pool, frozen, stated = Pool.of(scores), rule.sign * rule.threshold, None
    if prevalence is not None:
        stated = Stated.of(model, model.counts(scores), prevalence)
    shift = 0.0 if stated is None else stated.shift
    return Situation(
        rule=rule,
        home=home,
        pool=pool,
        frozen=frozen,
        costs=costs,
        prevalence=prevalence,
        model=model,
        stated=stated,
        menu=make_menu(model, pool, frozen, costs, shift),
    )


def check_same_menu(there: Situation, first: str | None) -> None:
    """Refuse other cut-offs than those of the first look, given by their hash."""
    if first is not None and first != there.menu_sha256:
        raise BadOption(
            "the cut-offs to choose from are not those of the first look, and their limits would "
            "not hold; give the same patients without labels and the same prevalence as then, and "
            f"add only patients with labels. A list of {argument('worklist', 60)} keeps them."
        )
