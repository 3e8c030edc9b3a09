"""A frozen rule in use: patients arrive one after another, and an alarm can come at any time."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from steadycut.core.checks import check_delta
from steadycut.core.confusion import Confusion, count_decisions
from steadycut.core.monitor import CallWatch, Limits, RiskWatch, watch_calls, watch_risk
from steadycut.core.odd import same_score_warnings
from steadycut.core.records import PatientScores, by_patient
from steadycut.core.verdict import MARGIN, Comparison, patients_needed
from steadycut.documents import guards
from steadycut.documents import monitor as documents
from steadycut.documents.frozen import FrozenFile
from steadycut.documents.next_step import LabelsNeeded, NextStep, Why
from steadycut.documents.shown import LOOK
from steadycut.errors import BadPatients, Warned, argument, explains_calls, refusing, warn_each
from steadycut.study.judge import Asked, comparison_of
from steadycut.study.new_patients import Decided, graded_patients, swapped_here
from steadycut.study.questions import label_some, local

UNWATCHED = Warned.of("call rate")(
    "the file does not say how often patients were called where it was made, so the "
    "share of patients called is not watched. Freeze the rule again with this version."
)


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Monitor(Decided):
    """What the patients who have arrived so far say about a frozen rule.

    ``risk`` and ``compared`` are None without labels, ``calls`` if the file does not say how often
    patients were called before. Patients are counted from 1 in the order of arrival; nothing here
    identifies them.
    """

    delta: float
    risk: RiskWatch | None
    calls: CallWatch | None
    compared: Comparison | None

    _look = LOOK

    @property
    def first_alarm(self) -> int | None:
        """After how many patients the risk was shown to exceed the certified one, if it was."""
        return None if self.risk is None else self.risk.first_alarm

    def describe(self) -> documents.MonitorDocument:
        """Return everything that was seen, as one typed record."""
        return documents.MonitorDocument.of(
            *(self.rule, self),
            **self.rule_facts(),
            labelled=self.risk is not None,
            alarm=self.first_alarm is not None,
            next_step=self._next_step(),
            risk=None if self.risk is None else self._risk_part(self.risk),
            call_rate=None if self.calls is None else _calls_part(self.calls, self.delta),
            threshold=self.rule.cut_off,
            rule_sha256=None,
        )

    def _risk_part(self, watch: RiskWatch) -> documents.RiskWatchPart:
        return documents.RiskWatchPart.of(
            watch,
            **_latest(watch.limits),
            martingale=float(watch.martingale[-1]),
            alarm_at=1 / self.delta,
            false_alarm_if_certificate_true=self.delta,
            false_alarm_overall=min(self.delta + self.rule.document.certificate.delta, 1.0),
            trace=documents.TracePart(**_trace(watch.limits), martingale=watch.martingale.tolist()),
        )

    def _next_step(self) -> NextStep:
        """Return what to do now, and how many more patients that takes."""
        name = self.rule.file_name
        if self.first_alarm is not None:
            return NextStep(verb="audit", why="alarm", file_name=name, local=local(self.rule))
        changed = self.calls is not None and self.calls.first_alarm is not None
        first: Literal["go on", "check scores"] = "check scores" if changed else "go on"
        if self.risk is None or self.compared is None:
            return label_some(self.rule, MARGIN).model_copy(update={"first": first})
        if not self.risk.can_alarm or self.compared.vacuous:
            return NextStep(verb="fit", why="certify more")
        why, labels = self._how_many_more(self.compared)
        return NextStep(verb="monitor", why=why, first=first, labels=labels)

    def _how_many_more(self, compared: Comparison) -> tuple[Why, list[LabelsNeeded] | None]:
        """Return when the patients will have shown whether the risk is within the certified one."""
        if compared.highest_cost(self.delta) <= compared.promised:
            return "within already", None
        needed = patients_needed(compared, "within_certificate", self.delta)
        if needed is None:
            return "too close", None
        labels = LabelsNeeded(
            question="within_certificate",
            more=max(needed - self.n_patients, 1),
            refutes=compared.observed_cost > compared.promised,
        )
        return "watch on", [labels]


@explains_calls
def monitor(
    rule: FrozenFile[Any],
    patients: PatientScores | ArrayLike,
    y: Mapping[Any, object] | ArrayLike | None = None,
    *,
    order: Mapping[Any, object] | ArrayLike | None = None,
    delta: float = 0.1,
    force: bool = False,
    key: bytes | None = None,
    unseen: str = "refuse",
) -> Monitor:
    """Watch a frozen rule in use. You may look at the result as often as you like.

    Parameters
    ----------
    rule
        The frozen rule: a `FrozenRule`, a `StrataRule` or a `CovariateRule`.
    patients
        Patient scores, made as the rule says: an array of shape (n,), or `PatientScores` (whose
        labels are used unless ``y`` is given). A rule by covariate needs `PatientScores` with the
        covariate among their attributes.
    y
        0/1 labels, shape (n,), or by identifier, as for `steadycut.audit`; without them only the
        call rate is watched. For risk strata the grades: whole numbers from 0, or their names.
    order
        When each patient arrived, shape (n,) or by identifier: any numbers; patients with smaller
        ones come first. Ties keep the order of the patients. Without it the order of the patients
        is used, which for `PatientScores` with identifiers is the order of the identifiers.
    delta
        Probability of a false alarm, over all time, for each of the two watches.
    force
        Continue if the rule refuses these patients; the result records it.
    key
        The secret with which the rule remembers its patients, if it does so by one.
    unseen
        What to do with patients of a group that a rule by covariate has not seen: ``"refuse"``, or
        ``"pooled"`` for the pooled cut-off.

    Returns
    -------
    Monitor

    Notes
    -----
    The order must not depend on the labels, and every patient up to the last one must be there.
    If errors are found earlier than correct decisions, the guarantee does not hold. The guarantee
    assumes that the certified value is true. For patients like those who certified the rule, a
    false alarm of certificate and monitor together has at most the sum of both deltas as
    probability. A value certified for a range of target prevalences is true here only if the
    prevalence here lies in that range. An alarm may then mean that it does not.

    Examples
    --------
    >>> import numpy as np
    >>> from steadycut import PatientScores, fit
    >>> rng = np.random.default_rng(0)
    >>> labels = np.repeat([0, 1], 100)
    >>> rule = fit(PatientScores(scores=rng.normal(size=200) + 3 * labels, labels=labels)).freeze()
    >>> labels = rng.permutation(labels)
    >>> monitor(rule, rng.normal(size=200) + 3 * labels, labels).first_alarm is None
    True
    >>> monitor(rule, rng.normal(size=200) + 3 * labels + 4, labels).first_alarm < 50
    True
    """
    guards.check_rule(rule)
    check_delta(delta)
    cohort, grades = graded_patients(rule, patients, y, "a monitor")
    findings = guards.pass_or_refuse(
        guards.check_deployment(rule, cohort, key=key, grades=grades), force=force
    )
    unlike = rule.check_attributes(cohort, unseen)
    arrival = arrival_order(order, cohort)
    actions, costs = rule.decide_patients(cohort)[arrival], rule.cost_matrix
    before, certificate = rule.reference_counts, rule.certificate
    risk = calls = compared = None
    if grades is not None:
        here = count_decisions(grades[arrival], actions, costs.values.shape)
        compared = comparison_of(rule, Asked(sequential=True), here)
        # A monitor watches the cost, at the prevalence of the patients who come.
        plain = None if rule.costs is None else rule.costs.plain
        compared = replace(compared, costs=plain, certified={})
        losses = costs.of_patients(grades[arrival], actions)
        risk = watch_risk(losses, certificate.value, costs.largest, delta)
    if before is not None:
        reference = Confusion.of_counts(before)
        calls = watch_calls(actions > 0, reference, delta, certificate.n_choices)
    found = Monitor(
        rule=rule,
        n_patients=cohort.n_patients,
        members=np.bincount(actions, minlength=len(rule.actions)),
        delta=delta,
        risk=risk,
        calls=calls,
        compared=compared,
        warnings=(
            *guards.texts_of(findings),
            *unlike,
            *same_score_warnings(cohort.scored),
            *swapped_here(rule, cohort.scored),
            *([] if calls else [UNWATCHED]),
        ),
        forced=tuple(guards.forced_names(findings)),
    )
    warn_each(found.warnings, stacklevel=3)
    return found


def arrival_order(
    order: Mapping[Any, object] | ArrayLike | None, patients: PatientScores
) -> NDArray[np.intp]:
    """Return the positions of the patients in the order of their arrival."""
    if order is None:
        return np.arange(patients.n_patients)
    column = by_patient("order", patients, order)
    msg = f"{argument('order')} must be a number or a date for every patient."
    with refusing(BadPatients, msg, TypeError):
        places = np.argsort(column, kind="stable")
    # What is not equal to itself is a missing number or date.
    if np.any(column != column):  # noqa: PLR0124
        raise BadPatients(msg)
    return places


def _calls_part(watch: CallWatch, delta: float) -> documents.CallWatchPart:
    return documents.CallWatchPart.of(
        watch,
        **_latest(watch.limits),
        internal_lower=watch.lowest,
        internal_upper=watch.highest,
        martingale_too_many=float(watch.too_many[-1]),
        martingale_too_few=float(watch.too_few[-1]),
        alarm_at=4 / delta,
        false_alarm=delta,
        trace=documents.TracePart(
            **_trace(watch.limits),
            martingale_too_many=watch.too_many.tolist(),
            martingale_too_few=watch.too_few.tolist(),
        ),
    )


def _trace(limits: Limits) -> dict[str, list[float]]:
    columns = {"observed": limits.mean, "lower": limits.lower, "upper": limits.upper}
    return {name: column.tolist() for name, column in columns.items()}


def _latest(limits: Limits) -> dict[str, float]:
    return {name: column[-1] for name, column in _trace(limits).items()}
