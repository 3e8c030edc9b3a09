"""What labels of new patients say about a frozen file: counts, risk, bounds and the verdict.

Works for every kind of file. For two grades and two actions the bounds are exact, and the change of
risk is split into its parts; otherwise the bound is one on the mean of the losses.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from steadycut.core.bounds.concentration import lower_risk_limit
from steadycut.core.certify import Certificate, certificate_of
from steadycut.core.checks import IntArray, Interval
from steadycut.core.confusion import Confusion
from steadycut.core.records import Costs, PatientScores
from steadycut.core.shift.intervals import shift_intervals
from steadycut.core.shift.parts import Parts, absolute_shift, shapley_shift, signed_shift
from steadycut.core.strata.certify import certify_cost, lowest_cost, members_of
from steadycut.documents.audit import Verdict
from steadycut.documents.frozen import FrozenFile


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ChangeOfRisk:
    """Where a change of risk comes from, for two grades and two actions.

    ``reference`` are the certifying patients, ``internal`` bounds the risk at P, at their own
    prevalence. ``shift`` is the paper's Shift(t) with absolute values, ``signed`` the exact parts
    of R_Q - R_P in the paper's order, ``shapley`` their mean over both orders; ``intervals`` hold
    the sampling error of both hospitals, for all parts at once.
    """

    reference: Confusion
    internal: Certificate
    shift: Parts
    signed: Parts
    shapley: Parts
    intervals: dict[str, dict[str, Interval]]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class LabelledPart:
    """What labels at the new hospital add.

    ``patients`` are those here, with scores of which high ones are called; ``counts`` are they by
    grade and action. ``direct`` bounds the risk here from these patients alone, at their own
    prevalence. The verdict compares ``judged`` with the certified value ``promised``: that is
    ``direct``, at the target prevalence if there is one. ``lowest`` is a lower limit of the same
    risk.
    """

    patients: PatientScores
    counts: IntArray
    standard_error: float
    direct: Certificate
    judged: Certificate
    lowest: float
    promised: float
    change: ChangeOfRisk | None

    @property
    def external(self) -> Confusion:
        """The patients here, by any grade and any action but the lowest."""
        return Confusion.of_counts(self.counts)

    @property
    def verdict(self) -> Verdict:
        """Whether the risk here is within what was certified.

        Each of the first two is wrong with probability at most delta.
        """
        if self.judged.value <= self.promised:
            return "holds"
        return "does not hold" if self.lowest > self.promised else "cannot tell"


def judge(
    rule: FrozenFile[Any], patients: PatientScores, grades: IntArray, actions: IntArray
) -> LabelledPart:
    """Return what the grades of patients say about the actions of a frozen file."""
    counts = np.zeros(rule.cost_matrix.values.shape, dtype=np.int64)
    np.add.at(counts, (grades, actions), 1)
    here = patients.oriented(rule.direction)
    if rule.costs is None:
        return _of_losses(rule, here, counts)
    return _of_two(rule, rule.costs, here, counts)


def _of_losses(rule: FrozenFile[Any], patients: PatientScores, counts: IntArray) -> LabelledPart:
    costs, delta = rule.cost_matrix, rule.certificate.delta
    grades, actions = members_of(counts)
    bound = certify_cost(actions, grades, costs, delta)
    losses = costs.of_patients(grades, actions)
    return LabelledPart(
        patients=patients,
        counts=counts,
        standard_error=float(losses.std() / np.sqrt(losses.size)),
        direct=bound,
        judged=bound,
        lowest=lowest_cost(actions, grades, costs, delta),
        promised=rule.certificate.value,
        change=None,
    )


def _of_two(
    rule: FrozenFile[Any], costs: Costs, patients: PatientScores, counts: IntArray
) -> LabelledPart:
    external, delta = Confusion.of_counts(counts), rule.certificate.delta
    direct = certificate_of(external, costs.plain, delta)
    at_target = costs.target is not None
    return LabelledPart(
        patients=patients,
        counts=counts,
        standard_error=external.standard_error(costs.plain),
        direct=direct,
        judged=certificate_of(external, costs, delta) if at_target else direct,
        lowest=lower_risk_limit(external, costs, delta),
        promised=rule.certificate.value,
        change=_change(rule, costs, external),
    )


def _change(rule: FrozenFile[Any], costs: Costs, external: Confusion) -> ChangeOfRisk | None:
    counts, plain = rule.reference_counts, costs.plain
    if counts is None:
        return None
    reference, promised = Confusion.of_counts(counts), rule.certificate
    return ChangeOfRisk(
        reference=reference,
        internal=_internal(rule, costs, reference),
        shift=absolute_shift(reference, external, plain),
        signed=signed_shift(reference, external, plain),
        shapley=shapley_shift(reference, external, plain),
        intervals=shift_intervals(reference, external, plain, promised.delta, promised.n_choices),
    )


def _internal(rule: FrozenFile[Any], costs: Costs, reference: Confusion) -> Certificate:
    """Return the rule's certificate, at the prevalence of the patients who certified it."""
    promised = rule.certificate
    if costs.target is None:
        return Certificate(**promised.model_dump(exclude={"value", "vacuous"}))
    return certificate_of(
        reference,
        costs.plain,
        promised.delta,
        bound=_pooled_bound(rule),
        honesty=promised.honesty,
        n_candidates=promised.n_candidates,
    )


def _pooled_bound(rule: FrozenFile[Any]) -> str:
    """Return a bound at the patients' own prevalence that holds however they were dealt."""
    if rule.certificate.honesty == "uniform":
        return "dkw"
    # Exact limits need a split that did not look at labels; the paper's three terms do not.
    return "paper" if rule.document.provenance.options.stratified else "auto"
