"""What looks odd about patients: most often a mistake in the table, seldom in the score.

Each finding is one line. It begins with its kind, says what was found, and asks or says what to do.
"""

import numpy as np

from steadycut.core.checks import FloatArray, IntArray
from steadycut.core.intervals.auc import auc
from steadycut.core.records import PatientScores
from steadycut.errors import ADVISED, BadPatients, Warned, argument, warned_if

# An AUC of at least this is rare in medicine, and common where the score has seen the label.
NEAR_PERFECT = 0.99
# So few patients are often exactly half ill, or separated, by chance.
FEW = 20
# Several rows are odd if at most this share of the patients has them.
ODD_SHARE = 0.2
# Numbers that stand for a missing value in many files, with either sign.
CODES = (999.0, 9999.0, 99999.0, 999999.0)
# A code is this many times as large as every other score.
FAR = 10.0
SMALLEST_SPREAD = 1e-150


def check_varied(patients: PatientScores) -> None:
    """Refuse a score that is the same for every patient, or nearly so on the scale of floats."""
    patients = patients.scored
    if is_constant(patients):
        raise BadPatients(
            f"every patient has the same score {float(patients.scores[0]):g} "
            f"({patients.recipe.name}): no cut-off can tell them apart. Check "
            f"{argument('score')}, the column of scores, and how it is aggregated."
        )
    if patients.scores.size > 1 and np.ptp(patients.scores) < SMALLEST_SPREAD:
        msg = f"scores must differ by at least {SMALLEST_SPREAD:g}, or squares become 0. Rescale."
        raise BadPatients(msg)


def is_constant(patients: PatientScores) -> bool:
    """Return whether every patient has the same score."""
    scores = patients.scores
    return scores.size > 1 and bool(scores.min() == scores.max())


def odd_warnings(patients: PatientScores, direction: str = "ge", *, has_target: bool) -> list[str]:
    """Return what looks odd about labelled patients whose scores are oriented: high means ill.

    ``direction`` is the one that they were oriented by.

    With ``has_target`` the prevalence of practice is known, so that of the sample does not matter.

    Examples
    --------
    >>> cohort = PatientScores(scores=[0.9, 0.8, 0.7, 0.1], labels=[0, 0, 0, 1])
    >>> odd_warnings(cohort, has_target=False)[0][:35]
    'direction: the AUC is 0.00, below 0'
    """
    if same := same_score_warnings(patients):
        return same
    warnings = [*area_warnings(patients, direction), *rows_warnings(patients)]
    if patients.n_instances is None:
        warnings += code_warnings(np.abs(patients.scores), np.arange(patients.n_patients))
    return warnings if has_target else [*warnings, *sampling_warnings(patients)]


def same_score_warnings(patients: PatientScores) -> list[str]:
    """Notice a score that is the same for every patient."""
    msg = "every patient has the same score; no cut-off can tell them apart."
    return warned_if(is_constant(patients), "score", msg)


def swapped_warnings(patients: PatientScores, direction: str) -> list[str]:
    """Notice new patients whose labels look swapped for a rule with this direction.

    Fewer than 20 patients often have an AUC below 0.5 by chance.

    Examples
    --------
    >>> there = PatientScores(scores=np.arange(20.0), labels=np.repeat([1, 0], 10))
    >>> swapped_warnings(there, "ge")[0][:30]
    'labels: the AUC here is 0.00: '
    """
    if patients.labels is None or patients.n_patients < FEW:
        return []
    area, low = auc(patients.oriented(direction)), "low" if direction == "ge" else "high"
    msg = (
        f"the AUC here is {area or 0:.2f}: are the labels swapped ({ADVISED['positive', None]}), "
        f"or do {low} scores mean ill here?"
    )
    return warned_if(area is not None and area < 1 / 2, "labels", msg)


def area_warnings(patients: PatientScores, direction: str) -> list[str]:
    """Notice a score that is reversed, or too good."""
    area = auc(patients)
    if area is not None and area < 1 / 2:
        low, other = ("low", "le") if direction == "ge" else ("high", "ge")
        text = Warned.of("direction")(
            f"the AUC is {area:.2f}, below 0.5: with this direction the score is worse "
            f"than chance. If {low} scores are to be called, say so "
            f"({ADVISED['direction', other]}). Or are the labels swapped?"
        )
        return [text]
    if area is not None and area >= NEAR_PERFECT and patients.n_patients >= FEW:
        perfect = area == 1
        how = "perfectly" if perfect else f"almost perfectly (AUC {area:.3f})"
        text = Warned.of("separation" if perfect else "near separation")(
            f"the score separates the classes {how}. Was it trained on these patients, "
            "or is it made from the label?"
        )
        return [text]
    return []


def sampling_warnings(patients: PatientScores) -> list[str]:
    """Notice numbers of ill and healthy patients that somebody has chosen."""
    if patients.n_patients < FEW:
        return []
    if patients.n_positive == patients.n_negative:
        what = "both classes have exactly the same number of patients"
    elif _sites_are_equal(patients):
        what = "every site has the same numbers of patients of each class"
    else:
        return []
    text = Warned.of("sampling")(
        f"{what}. If they were picked so (case-control), the cost, PPV and NPV are not "
        "those of practice: give the prevalence of practice "
        f"({ADVISED['target_prevalence', None]})."
    )
    return [text]


def _sites_are_equal(patients: PatientScores) -> bool:
    if patients.sites is None:
        return False
    _, site = np.unique(patients.sites, return_inverse=True)
    counts = np.bincount(site), np.bincount(site, weights=patients.known_labels)
    return counts[0].size > 1 and all(column.min() == column.max() for column in counts)


def rows_warnings(patients: PatientScores) -> list[str]:
    """Notice a few patients with several rows among patients with one."""
    rows = patients.n_instances
    if rows is None or patients.recipe.levels:
        return []
    several = int(np.count_nonzero(rows > 1))
    msg = (
        f"{several} of {rows.size} patients have several rows, all others one. Their rows are "
        "combined. If they are copies, corrections or later visits, keep one row per patient."
    )
    return warned_if(0 < several <= ODD_SHARE * rows.size, "rows", msg)


def code_warnings(largest: FloatArray, who: IntArray) -> list[str]:
    """Notice numbers such as -999 that stand for a missing score.

    ``largest`` are absolute values, and ``who`` says which patient each of them is of.

    Examples
    --------
    >>> code_warnings(np.array([0.2, 0.9, 999.0, 999.0]), np.array([0, 1, 1, 1]))[0][:51]
    'codes: 1 of 2 patients have a score of 999 or -999,'
    """
    for code in CODES:
        has = largest == code
        others = largest[~has]
        if has.any() and (not others.size or float(others.max()) * FAR < code):
            count, everyone = np.unique(who[has]).size, np.unique(who).size
            text = Warned.of("codes")(
                f"{count} of {everyone} patients have a score of {code:g} or -{code:g}, "
                "and all other scores are far smaller. If it stands for a missing score, "
                "leave the cell empty."
            )
            return [text]
    return []


def repeat_warnings(times: int) -> list[str]:
    """Notice a table in which every row occurs several times.

    Examples
    --------
    >>> repeat_warnings(1), repeat_warnings(2)[0][:51]
    ([], 'copies: every patient has each of their scores 2 ti')
    """
    msg = (
        f"every patient has each of their scores {times} times. Was the table joined or appended "
        "to itself? Remove repeated rows: they count as more instances than there are."
    )
    return warned_if(times > 1, "copies", msg)
