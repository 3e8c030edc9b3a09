"""What labels of new patients say about a frozen file: counts, risk, bounds and the verdict.

This works for every kind of file. For two grades and two actions the bounds are exact, and the
change of risk is split into its parts. Otherwise the bound is one on the mean of the losses.

With several sites or groups, half of delta is for the verdict on all patients, and half is shared
by the groups. A rule that is to be used for all is to be adapted if a group is. Where something
that was observed in a group speaks against it, it is to be watched.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from steadycut.core.bounds.concentration import PaperTerms, paper_terms
from steadycut.core.certify import Certificate
from steadycut.core.checks import BoolArray, IntArray, Interval, TextArray
from steadycut.core.confusion import Confusion, count_decisions
from steadycut.core.intervals.auc import auc
from steadycut.core.records import Costs, PatientScores
from steadycut.core.shift.parts import (
    Parts,
    absolute_shift,
    shapley_values,
    shift_intervals,
    signed_shift,
)
from steadycut.core.strata.certify import members_of
from steadycut.core.verdict import (
    DECISIONS,
    MARGIN,
    REFUSED,
    Comparison,
    Decision,
    Verdict,
    verdicts,
)
from steadycut.documents.frozen import FrozenFile
from steadycut.documents.parts import CertificatePart

# The name of the bound that holds at every look.
ANYTIME = "anytime"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ChangeOfRisk:
    """Where a change of risk comes from, for two grades and two actions.

    ``reference`` are the certifying patients, ``internal`` bounds the risk at P, at their own
    prevalence. ``gamma`` is the allowance for chance that the paper adds instead. ``shift`` is the
    paper's Shift(t) with absolute values, ``signed`` the exact parts of R_Q - R_P in the paper's
    order, ``shapley`` their mean over both orders; ``intervals`` hold the sampling error of both
    hospitals, for all parts at once.
    """

    reference: Confusion
    internal: Certificate
    gamma: PaperTerms
    shift: Parts
    signed: Parts
    shapley: Parts
    intervals: dict[str, dict[str, Interval]]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Asked:
    """What is asked of labelled patients.

    ``margin`` is which share of the cost without a score the rule may cost more than before.
    With ``sequential`` every limit holds at every look at once. ``columns`` divide the patients
    into groups, each judged on its own: a text per patient, by the name of the column. With
    ``small_cells`` errors are rounded up, so nothing is refuted by them. The same holds with
    ``censored``: patients of unknown fate count as errors.
    """

    margin: float = MARGIN
    sequential: bool = False
    columns: Mapping[str, TextArray] = field(default_factory=dict)
    small_cells: int | None = None
    censored: bool = False

    @property
    def rounded(self) -> bool:
        """Whether errors may be counted too high."""
        return self.censored or self.small_cells is not None


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Group:
    """The patients of one site or subgroup, and the verdict on them."""

    column: str
    value: str
    comparison: Comparison
    verdict: Verdict
    auc: float | None

    @property
    def badness(self) -> tuple[int, float]:
        """How bad the decision is, and how much the rule costs beyond doing without it."""
        lost = self.comparison.observed_cost - self.comparison.cost_without_score
        return -DECISIONS.index(self.verdict.decision), lost


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class LabelledPart:
    """What labels at the new hospital add.

    ``patients`` are those here, with scores of which high ones are called. ``direct`` bounds the
    risk here from these patients alone, at their own prevalence. ``comparison`` has the counts that
    the verdict is made of; it is at the target prevalence if there is one.
    """

    patients: PatientScores
    direct: Certificate
    standard_error: float
    comparison: Comparison
    verdict: Verdict
    groups: tuple[Group, ...]
    change: ChangeOfRisk | None

    @property
    def censored(self) -> bool:
        """Whether patients of unknown fate count as errors."""
        return self.comparison.rounded and self.patients.time is not None

    @property
    def worst(self) -> Group | None:
        """The group with the worst decision; among equals, where most is lost without need."""
        return max(self.groups, key=lambda one: one.badness) if self.groups else None

    @property
    def failing(self) -> list[Group]:
        """The groups for which the rule is refused, the worst first."""
        bad = [one for one in self.groups if one.verdict.decision in REFUSED]
        return sorted(bad, key=lambda one: one.badness, reverse=True)

    @property
    def share(self) -> float:
        """The share of delta that the verdict on all patients has."""
        return 0.5 if self.groups else 1.0

    @property
    def decision(self) -> Decision:
        """The decision about all patients, in which every group has its say."""
        own = self.verdict.decision
        if self.failing and own != "not judged":
            return "do not use" if own == "do not use" else "adapt"
        doubtful = any(not one.comparison.looks_good for one in self.groups)
        return "use and watch" if own == "use" and doubtful else own


def judge(
    rule: FrozenFile[Any],
    patients: PatientScores,
    grades: IntArray,
    actions: IntArray,
    asked: Asked,
) -> LabelledPart:
    """Return what the grades of patients say about the actions of a frozen file."""
    here, costs, delta = patients.oriented(rule.direction), rule.costs, rule.certificate.delta
    shape, grouped = rule.cost_matrix.values.shape, _groups(asked.columns)
    compared = comparison_of(rule, asked, count_decisions(grades, actions, shape))
    parts = [
        comparison_of(rule, asked, count_decisions(grades[own], actions[own], shape))
        for *_, own in grouped
    ]
    share = delta / 2 if parts else delta
    plain = None if costs is None else costs.plain
    direct = _direct(replace(compared, costs=plain), rule.certificate)
    return LabelledPart(
        patients=here,
        direct=direct,
        standard_error=_standard_error(compared, plain),
        comparison=compared,
        verdict=compared.verdict(share),
        groups=tuple(
            Group(
                column=column,
                value=value,
                comparison=part,
                verdict=found,
                auc=auc(here.take(own).usable),
            )
            for (column, value, own), part, found in zip(
                grouped, parts, verdicts(parts, share), strict=True
            )
        ),
        change=None if costs is None else _change(rule, costs, compared.confusion),
    )


def _groups(columns: Mapping[str, TextArray]) -> list[tuple[str, str, BoolArray]]:
    return [
        (column, str(value), texts == value)
        for column, texts in columns.items()
        for value in np.unique(texts)
        if value != texts[0] or np.any(texts != value)
    ]


def comparison_of(rule: FrozenFile[Any], asked: Asked, here: IntArray) -> Comparison:
    """Return everything that the questions about patients need, counted by grade and action."""
    certificate = rule.certificate
    return Comparison(
        here=here,
        before=None if asked.rounded or rule.rounded else rule.reference_counts,
        matrix=rule.cost_matrix,
        costs=rule.costs,
        promised=certificate.value,
        vacuous=certificate.vacuous,
        n_choices=rule.n_choices,
        margin=asked.margin,
        sequential=asked.sequential,
        rounded=asked.rounded,
        ignores_score=bool(np.isinf(rule.cut_off or 0.0)),
        certified=rule.certified_rates,
    )


def _direct(compared: Comparison, promised: CertificatePart) -> Certificate:
    """Return the bound on the risk here, at the prevalence of these patients."""
    delta = promised.delta
    if not compared.sequential:
        return compared.certificate(delta)
    risk = compared.observed_cost
    return Certificate(
        risk=risk,
        generalization=compared.highest_cost(delta) - risk,
        bound=ANYTIME,
        delta=delta,
        honesty="split",
        n_patients=int(compared.here.sum()),
        trivial_risk=compared.cost_without_score,
    )


def _standard_error(compared: Comparison, costs: Costs | None) -> float:
    if costs is not None:
        return compared.confusion.standard_error(costs)
    grades, actions = members_of(compared.here)
    losses = compared.matrix.of_patients(grades, actions)
    return float(losses.std() / np.sqrt(losses.size))


def _change(rule: FrozenFile[Any], costs: Costs, external: Confusion) -> ChangeOfRisk | None:
    counts, plain = rule.reference_counts, costs.plain
    if counts is None:
        return None
    reference, promised = Confusion.of_counts(counts), rule.certificate
    return ChangeOfRisk(
        reference=reference,
        internal=_internal(rule, costs, reference),
        gamma=paper_terms(reference, plain, promised.delta / max(rule.n_choices, 1)),
        shift=absolute_shift(reference, external, plain),
        signed=signed_shift(reference, external, plain),
        shapley=signed_shift(reference, external, plain, shapley_values),
        intervals=shift_intervals(reference, external, plain, promised.delta, rule.n_choices),
    )


def _internal(rule: FrozenFile[Any], costs: Costs, reference: Confusion) -> Certificate:
    """Return the rule's certificate, at the prevalence of the patients who certified it."""
    found = Certificate(**rule.certificate.model_dump(exclude={"value", "vacuous"}))
    if costs.target is None:
        return found
    return found.again(reference, costs.plain, bound=_pooled_bound(rule))


def _pooled_bound(rule: FrozenFile[Any]) -> str:
    """Return a bound at the patients' own prevalence that holds however they were dealt."""
    if rule.certificate.honesty == "uniform":
        return "dkw"
    # Exact limits need a split that did not look at labels; the paper's three terms do not.
    return "paper" if rule.document.provenance.options.stratified else "auto"
