"""A frozen rule at another hospital: its risk there, and where the difference comes from."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from steadycut.core.checks import TextArray, check_flag, check_fraction, shown, shown_groups
from steadycut.core.odd import same_score_warnings
from steadycut.core.records import PatientScores, check_patients
from steadycut.core.survival import unknown_warnings, worst_labels
from steadycut.core.verdict import MARGIN
from steadycut.documents import guards
from steadycut.documents.frozen import FrozenFile, is_table
from steadycut.documents.parts import SurvivalPart
from steadycut.errors import BadOption, BadPatients, argument, explains_calls, warn_each
from steadycut.study.audited import Audit
from steadycut.study.curves import class_quantiles
from steadycut.study.judge import Asked, LabelledPart, judge
from steadycut.study.new_patients import as_patients, graded_patients, swapped_here
from steadycut.study.reference import survival_part, unscored_of
from steadycut.study.small_cells import ROUNDED, grouped_for, noticed, without_bins
from steadycut.study.unlabelled import home_of, without_labels

MOST_GROUPS = 50
# A cut-off between the decisions 0 and 1.
HALF = 0.5


@explains_calls
def audit(
    rule: FrozenFile[Any],
    patients: PatientScores | Mapping[Any, Any] | ArrayLike | Any,  # noqa: ANN401
    y: Mapping[Any, object] | ArrayLike | None = None,
    *,
    force: bool = False,
    key: bytes | None = None,
    small_cells: int | None = None,
    unseen: str = "refuse",
    group: str | None = None,
    margin: float = MARGIN,
    sequential: bool = False,
) -> Audit:
    """Say what a frozen rule does at another hospital.

    Parameters
    ----------
    rule
        The frozen rule: a `FrozenRule`, a `StrataRule` or a `CovariateRule`.
    patients
        Patient scores at the new hospital, made as the rule says: an array of shape (n,), or
        `PatientScores` (whose labels are used unless ``y`` is given); for an ensemble a mapping of
        them, one for each method, as `steadycut.aggregate` returns it. A rule by covariate needs
        `PatientScores` with the covariate among their attributes. Or a table of instances: a data
        frame or a path. The rule then makes the patient scores itself, with the columns of labels
        and of sites that it names, if the table has them; ``rule.aggregate(frame, label=...)``
        takes other names.
    y
        0/1 labels, shape (n,), in the order of the scores; `PatientScores` with identifiers are in
        the order of these. Safer: a mapping from identifiers, or a pandas Series with the
        identifiers as index. Without labels only call rate, flip-rate and warnings are known. For
        risk strata the grades: whole numbers from 0, or their names.
    force
        Continue if the rule refuses these patients (`steadycut.documents.guards`); the audit
        records it.
    key
        The secret with which the rule remembers its patients, if it does so by one.
    small_cells
        Judge groups of at least so many patients of a class, so that no number stands for fewer;
        errors are never counted lower for it. See `steadycut.study.small_cells`. For patients
        with labels, and one cut-off for all of them.
    unseen
        What to do with patients of a group that a rule by covariate has not seen: ``"refuse"``, or
        ``"pooled"`` for the pooled cut-off.
    group
        The attribute of the patients, such as sex or scanner, whose groups are judged one by one.
        Several sites are always judged one by one.
    margin
        Which share of the cost of treating all or none alike (treat-all, treat-none) the rule may
        cost more than before and still count as good.
    sequential
        Give limits and answers that hold at every look. Use it if you audit again and again while
        labels come in.

    Returns
    -------
    Audit

    Notes
    -----
    None of these patients may have taken part in making the rule. The verdict is a decision
    (`steadycut.core.verdict`): use, use and watch, adapt, do not use, label more, or not judged. A
    rule that is not useful is to be used with probability at most the rule's delta. A useful rule
    that costs no more than before is to be adapted, or not used, with probability at most delta.

    Examples
    --------
    >>> import numpy as np
    >>> from steadycut import PatientScores, fit
    >>> rng = np.random.default_rng(0)
    >>> labels = np.repeat([0, 1], 100)
    >>> rule = fit(PatientScores(scores=rng.normal(size=200) + 3 * labels, labels=labels)).freeze()
    >>> there = audit(rule, rng.normal(size=200) + 3 * labels + 2, labels).describe()
    >>> there.verdict.decision, there.verdict.useful
    ('adapt', 'yes')
    >>> there.shift.signed.shape_negative > 0
    True
    """
    guards.check_rule(rule)
    if not isinstance(patients, PatientScores) and is_table(patients):
        if y is not None:
            raise BadOption(
                f"the labels of a table are one of its columns: leave out {argument('y')}, or "
                "name the column with rule.aggregate(table, label=...)."
            )
        patients = rule.patients_in(patients, [] if group is None else [group])
    several = list(patients.values()) if isinstance(patients, Mapping) else []
    for one in several:
        check_patients(one)
    given = as_patients(rule, patients, y)
    followed = given if y is None else None
    if followed is not None:
        given = settled(rule, followed, small_cells)
    cohort, grades = graded_patients(rule, given, y, "an audit")
    findings = guards.pass_or_refuse(
        guards.check_deployment(rule, cohort, several, key=key, grades=grades), force=force
    )
    unlike = rule.check_attributes(cohort, unseen)
    check_fraction("margin", margin)
    # Warnings of same scores count patients.
    same = same_score_warnings(cohort.scored) if small_cells is None else ()
    columns = group_columns(cohort, group, small_cells)
    home = home_of(rule)
    if small_cells is not None:
        cohort.need_scores("small cells hold patients of similar scores")
        cohort = grouped_for(rule, cohort, small_cells)
        home = None if home is None else without_bins(home)
    actions = rule.decide_patients(cohort)
    asked = Asked(
        margin=margin,
        sequential=check_flag("sequential", sequential),
        columns=columns,
        small_cells=small_cells,
        censored=followed is not None and followed.n_unknown > 0,
    )
    labelled = None if grades is None else judge(rule, cohort, grades, actions, asked)
    found = Audit(
        rule=rule,
        n_patients=cohort.n_patients,
        members=np.bincount(actions, minlength=len(rule.actions)),
        flip_probability=rule.flip_probability_of(cohort),
        scores=class_quantiles(cohort.usable),
        warnings=(
            *(guards.texts_of(findings) if small_cells is None else noticed(findings, small_cells)),
            *unlike,
            *same,
            *swapped_here(rule, cohort.usable),
            *(unknown_warnings(followed, "here") if followed is not None else ()),
            *(() if grades is None or rule.rounded is None else [ROUNDED[rule.rounded]]),
        ),
        forced=tuple(guards.forced_names(findings)),
        small_cells=small_cells,
        unlabelled=None if home is None else without_labels(home, cohort.scored.scores),
        labelled=labelled,
        survival=None if labelled is None else survival_here(rule, followed, labelled),
        margin=margin,
        sequential=sequential,
        label_how=None if grades is None else cohort.recipe.label_how,
        sites=None if cohort.sites is None else np.unique(shown_groups(cohort.sites)).tolist(),
        unscored=unscored_of(cohort),
    )
    warn_each(found.warnings, stacklevel=3)
    return found


def settled(
    rule: FrozenFile[Any], patients: PatientScores, small_cells: int | None
) -> PatientScores:
    """Return the patients with an error for everybody who was censored before the horizon."""
    if not patients.n_unknown:
        return patients
    if rule.costs is None or small_cells is not None:
        what = f"no {argument('small_cells')}"
        if rule.costs is None:
            what = f"two decisions about two classes; this {rule.file_name} has more"
        raise BadOption(
            f"{patients.n_unknown} of {patients.n_patients} patients were censored before the "
            f"horizon, which needs {what}."
        )
    worst = worst_labels(decided(rule, patients), HALF)
    return replace(patients, labels=worst.labels)


def decided(rule: FrozenFile[Any], patients: PatientScores) -> PatientScores:
    """Return the patients with their decision in place of the score: 1 if they are called."""
    return replace(patients, scores=rule.decide_patients(patients).astype(np.float64))


def survival_here(
    rule: FrozenFile[Any], patients: PatientScores | None, labelled: LabelledPart
) -> SurvivalPart | None:
    """Return what is known at the horizon of these patients; None without a follow-up."""
    if patients is None or patients.time is None or rule.costs is None:
        return None
    delta, limit = rule.certificate.delta, labelled.direct.value
    return survival_part(decided(rule, patients), HALF, rule.costs.plain, delta, limit)


def group_columns(
    patients: PatientScores, group: str | None, small_cells: int | None
) -> dict[str, TextArray]:
    """Return the columns whose groups are judged one by one: sites, and what was asked for."""
    if small_cells is not None:
        if group is not None:
            msg = f"{argument('group')} shows small groups; leave out {argument('small_cells')}."
            raise BadOption(msg)
        return {}
    found = {}
    if patients.sites is not None and np.unique(patients.sites).size > 1:
        found["site"] = shown_groups(patients.sites)
    if group is not None:
        texts = _group_column(patients, group)
        if patients.sites is None or not np.array_equal(texts, patients.sites):
            found[group] = shown_groups(texts)
    return found


def _group_column(patients: PatientScores, name: str) -> TextArray:
    if name not in patients.attributes:
        raise BadPatients(
            f"{argument('group')} must be one of the attributes of the patients; got "
            f"{shown(name)}. Give it in their attributes: attributes={{NAME: ...}}."
        )
    texts = patients.attributes[name]
    n_groups = np.unique(texts).size
    if n_groups > MOST_GROUPS:
        raise BadPatients(
            f"{argument('group', name)} has {n_groups} different values; at most {MOST_GROUPS} "
            "groups can be judged. Make a column with fewer, such as age bands."
        )
    return texts
