"""Identifiers that look like those of slides, images or records, and not like those of patients.

Several slides of one patient are not as many patients. A certificate that counts them as patients
is broken too often: with four slides each, in 17 % of the studies of
benchmarks/results/slides_as_patients.json where 10 % are allowed.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from steadycut.core.records import UNKNOWN, PatientScores
from steadycut.errors import ADVISED, BadPatients, argument, warned_if

# Words in the names of columns that identify patients, and slides or other parts of a patient.
PATIENT = ("patient", "subject", "participant", "person", "donor", "case", "individual", "mrn")
SLIDE = ("slide", "image", "wsi", "file", "filename", "scan")
RECORD = ("record", "recording", "tile", "patch", "img", "roi", "cell", "crop", "frame", "specimen")
# A medical record is the patient's.
WHOSE = ("medical", "health", "hospital")
# Under this name patients remember what a sheet says of them.
SAID = "parts of patients"
# Looking at so many identifiers is enough; they are sorted, so those of one patient are together.
MOST_LOOKED_AT = 20_000
# So many beginnings of each class must be shared, and chance must make labels agree so seldom.
FEWEST_SHARED = 5
BY_CHANCE = 1e-6
SEPARATED = re.compile(r"[-_./\\: ]+")
LAST_PIECE = re.compile(r"(?:[^\W\d_]+|\d+)[\W_]*$")
MOST_PIECES = 6


def words(name: str) -> list[str]:
    """Return the words of a name, in lower case.

    Examples
    --------
    >>> words("PatientID"), words("tumour_score")
    (['patient', 'id'], ['tumour', 'score'])
    """
    return [word.casefold() for word in re.findall(r"[A-Z]?[^\W\dA-Z_]+|[A-Z]+", name)]


def names_a_part(column: str) -> bool:
    """Return whether a column is called by a slide or another part; its last such word decides.

    Examples
    --------
    >>> [names_a_part(name) for name in ("slide_id", "ImagePatient", "medical_record_number")]
    [True, False, False]
    """
    known = [word for word in words(column) if word in {*PATIENT, *SLIDE, *RECORD, *WHOSE}]
    return bool(known) and known[-1] in {*SLIDE, *RECORD} and not {*WHOSE} & {*known}


def check_one_per_patient(patients: PatientScores, *, stated: bool) -> None:
    """Refuse identifiers that look like those of parts of patients, unless it is ``stated``."""
    why = None if stated else why_parts(patients)
    if why:
        raise BadPatients(
            f"{why}. Several parts of one patient are not several patients. Name the column of "
            f"patients with {argument('patient', 'COL')}, or take them from these names with "
            f"{argument('patient_from')}. If each one is from another patient, add "
            f"{argument('one_per_patient', value=True)}."
        )


def stated_warnings(patients: PatientScores, *, stated: bool) -> list[str]:
    """Say that the certificate relies on what was stated."""
    why = why_parts(patients) if stated else ""
    msg = (
        f"{why}. It was stated that each one is from another patient "
        f"({ADVISED['one_per_patient', None]}). If not, the certificate does not hold."
    )
    return warned_if(why, "one per patient", msg)


def why_parts(patients: PatientScores) -> str:
    """Return why identifiers look like those of parts of patients; nothing if they do not.

    Either the name of their column says so, or a sheet that was joined, or they share beginnings
    within which all labels agree, far more often than by chance. No identifier is in the text.

    Examples
    --------
    >>> names = [f"P{k:02}-{slide}" for k in range(30) for slide in "ab"]
    >>> labels = [k % 4 < 2 for k in range(60)]
    >>> why_parts(PatientScores(scores=range(60), labels=labels, patients=names))
    "60 identifiers of 'patient' have 30 beginnings, and labels agree within each of these"
    """
    return patients.once("why parts", lambda: _why(patients))


def _why(patients: PatientScores) -> str:
    column = patients.recipe.patient
    if names_a_part(column):
        return f"{column!r} looks like a column of slides, images or records, not of patients"
    return patients.once(SAID, str) or _by_beginnings(patients, column)


def _by_beginnings(patients: PatientScores, column: str) -> str:
    if patients.patients is None or patients.labels is None:
        return ""
    known = np.flatnonzero(patients.labels != UNKNOWN)[:MOST_LOOKED_AT]
    names, labels = patients.patients[known].tolist(), patients.labels[known].tolist()
    counts = [_shared(beginnings, labels) for beginnings in _beginnings(names)]
    # The fewest beginnings: where the label itself is one, all finer ones agree as well.
    agreeing = min((sizes for sizes in counts if sizes), default=[], key=len)
    have = f"{len(names)} identifiers of {column!r} have {len(agreeing)} beginnings"
    return f"{have}, and labels agree within each of these" if _is_odd(agreeing) else ""


def _beginnings(names: Sequence[str]) -> Iterator[list[str]]:
    """Yield ways to shorten names: to their first parts, and without their last pieces."""
    parts = [SEPARATED.split(name) for name in names]
    for kept in range(1, MOST_PIECES):
        yield ["-".join(several[:kept]) for several in parts]
    shorter = list(names)
    for _ in range(MOST_PIECES // 2):
        shorter = [LAST_PIECE.sub("", name) for name in shorter]
        yield shorter


def _shared(beginnings: Sequence[str], labels: Sequence[int]) -> list[tuple[int, int]]:
    """Return the size and the label of each beginning; nothing if labels differ within one."""
    label_of = dict(zip(beginnings, labels, strict=True))
    if any(label_of[text] != label for text, label in zip(beginnings, labels, strict=True)):
        return []
    return [(size, label_of[text]) for text, size in Counter(beginnings).items()]


def _is_odd(groups: Sequence[tuple[int, int]]) -> bool:
    """Return whether enough groups of either class agree, which chance would not do."""
    several = [(size, label) for size, label in groups if size > 1]
    shared = Counter(label for _, label in several)
    if min(shared[0], shared[1]) < FEWEST_SHARED:
        return False
    ill = sum(size * label for size, label in groups) / sum(size for size, _ in groups)
    sizes = np.array([size for size, _ in several])
    return bool(np.log(ill**sizes + (1 - ill) ** sizes).sum() < np.log(BY_CHANCE))
