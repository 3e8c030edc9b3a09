"""MIMIC-IV-ECG, as it is downloaded: records, patients and labels, and the paper's tables.

Works for the Demo and for the whole data set.
"""

import csv
import re
from collections.abc import Mapping
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from paper.halves import with_labels
from paper.table import Hospitals
from steadycut.core.checks import FloatArray, IntArray
from steadycut.core.records import PatientScores
from steadycut.core.split import split_patients
from steadycut.errors import BadOption, BadTable
from steadycut.ingest import make_request, read_patients
from steadycut.pipelines.ecg.features import NAMES
from steadycut.pipelines.ecg.pipeline import Segments
from steadycut.pipelines.ecg.scorer import patient_weights, train_scorer
from steadycut.pipelines.ecg.training import Names, deal_training, rows_of
from steadycut.pipelines.sheet import patient_labels, read_records
from steadycut.pipelines.skipped import SkippedFile, skip_after

RECORDS, READINGS = "record_list.csv", "machine_measurements.csv"
SUBJECT = re.compile(r"p(\d{8})")
REPORT = re.compile(r"report_\d+")
PATIENT_COLUMNS = ("subject_id", "patient")
FINDING = "atrial fibrillation"
# From segments to ECGs and from ECGs to patients, the same both times; the first is the paper's.
AGGREGATORS = ("quantile:0.9", "mean", "max")
# What cross-validation tries: inverses of the L2 penalty, the strongest penalty first.
STRENGTHS = (0.001, 0.01, 0.1, 1.0, 10.0, 100.0)
FOLDS = 5
SMALLEST = 1e-15


def find_mimic(data: Path) -> tuple[dict[Path, str], list[SkippedFile]]:
    """Return the header file of every record with its patient, and what is skipped.

    The records are those of ``record_list.csv``, if it can be read. Otherwise they are found by
    their folders: ``files/p10001217/s102172660/102172660.hea`` as in the Demo, with or without
    the folder ``p1000`` of the whole data set.
    """
    if not data.is_dir():
        msg = f"--data must be the folder of MIMIC-IV-ECG; {data} is not a folder."
        raise BadOption(msg)
    problems: list[SkippedFile] = []
    found: dict[Path, str] = {}
    sheet = data / RECORDS
    if sheet.is_file():
        try:
            found = _listed(data, problems)
        except BadTable as error:
            problems.append(skip_after(error, sheet))
    found = found or _by_folder(data)
    if not found:
        msg = f"no record was found below {data}. Records must lie in files/pNNNNNNNN/sNNN/NNN.hea."
        raise BadOption(msg)
    return found, problems


def _listed(data: Path, problems: list[SkippedFile]) -> dict[Path, str]:
    rows = read_records(data / RECORDS, ("subject_id", "path"))
    listed = {data / f"{row['path']}.hea": row["subject_id"] for row in rows}
    found = {path: patient for path, patient in listed.items() if path.is_file()}
    lost = len(listed) - len(found)
    if lost:
        reason = f"{lost} of the {len(listed)} records that it lists are not there."
        problems.append(SkippedFile(file=str(data / RECORDS), reason=reason))
    return found


def _by_folder(data: Path) -> dict[Path, str]:
    found = {}
    for path in sorted(data.rglob("*.hea")):
        names = [SUBJECT.fullmatch(part) for part in path.relative_to(data).parts]
        patients = [name[1] for name in names if name]
        if patients:
            found[path] = patients[-1]
    return found


def read_labels(data: Path, sheet: Path | None, finding: str) -> dict[str, int]:
    """Return the label of each patient.

    Parameters
    ----------
    data
        Folder of the data set; without a ``sheet``, ``machine_measurements.csv`` in it is read.
    sheet
        CSV with the columns ``subject_id`` (or ``patient``) and ``label``, 0 or 1.
    finding
        A patient is positive if any line of any machine reading contains this text.
    """
    if sheet is not None:
        return _given(sheet)
    readings = data / READINGS
    if not readings.is_file():
        msg = (
            f"the Demo has no labels, and there is no {READINGS} in {data}. Give --labels with "
            f"subject_id and label, or put {READINGS} of the whole data set there."
        )
        raise BadOption(msg)
    return _from_readings(readings, finding)


def _given(sheet: Path) -> dict[str, int]:
    pairs = []
    for row in read_records(sheet, ("label",)):
        patient = next((row[name] for name in PATIENT_COLUMNS if row.get(name)), None)
        if patient is None:
            msg = f"the sheet {sheet} must have a subject_id in every row."
            raise BadTable(msg)
        pairs.append((patient, row.get("label", "")))
    return patient_labels(pairs)


def _from_readings(readings: Path, finding: str) -> dict[str, int]:
    """Read line by line: the whole data set has 800,000 readings."""
    wanted = finding.lower()
    labels: dict[str, int] = {}
    with readings.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        rows = csv.DictReader(file)
        reports = [name for name in rows.fieldnames or [] if REPORT.fullmatch(name)]
        if "subject_id" not in (rows.fieldnames or []) or not reports:
            msg = f"{readings} must have the columns subject_id and report_0, report_1, ..."
            raise BadTable(msg)
        for row in rows:
            label = int(any(wanted in (row[name] or "").lower() for name in reports))
            labels[row["subject_id"]] = max(labels.get(row["subject_id"], 0), label)
    return labels


def hospitals(
    segments: Segments, whose: Names, labels: Mapping[str, int], train_share: float, seed: int
) -> Hospitals:
    """Split patients into P and Q, train on a part of P, and score the rest of P and all of Q.

    A random half of the patients is P, as in the paper. A share of P trains the scorer and has no
    other role; the others choose and certify. ``whose`` is the patient of each segment. Patients
    without a label are not used. The penalty of the regression is the best one by
    cross-validation among the patients who train: the paper takes "the best performing" one.
    """
    names = [name for name in np.unique(whose).tolist() if name in labels]
    rng = np.random.default_rng(seed)
    roles = split_patients(len(names), 0.5, rng)
    inside, outside = ({names[i] for i in part.tolist()} for part in (roles.select, roles.certify))
    training = deal_training({name: labels[name] for name in inside}, train_share, rng)
    rows = rows_of(segments, whose, labels, training)
    scorer = train_scorer(*rows, NAMES, best_strength(*rows, seed))
    sides = []
    for wanted in (inside - training, outside):
        mine = np.isin(whose, sorted(wanted))
        scores = scorer.score(segments.features[mine])
        found = candidates(whose[mine], segments.record[mine], scores)
        sides.append(with_labels(found, labels))
    return sides[0], sides[1]


def best_strength(
    features: FloatArray, labels: NDArray[np.int8], patients: NDArray[np.str_], seed: int
) -> float:
    """Return the strength with the smallest loss in patients whom the regression has not seen.

    The loss is the log loss, with the weights of `patient_weights`. All segments of a patient are
    in one fold. Of equal losses the smallest strength counts. With one patient of a class there are
    no folds, and the strength is 1.
    """
    from sklearn.model_selection import StratifiedGroupKFold

    n_folds = min(FOLDS, *(np.unique(patients[labels == label]).size for label in (0, 1)))
    if n_folds < 2:  # noqa: PLR2004
        return 1.0
    folds = StratifiedGroupKFold(n_folds, shuffle=True, random_state=seed)
    parts = list(folds.split(features, labels, patients))
    losses = dict.fromkeys(STRENGTHS, 0.0)
    for strength, (train, test) in product(STRENGTHS, parts):
        scorer = train_scorer(features[train], labels[train], patients[train], (), strength)
        right = np.abs(1 - labels[test] - scorer.score(features[test]))
        weights = patient_weights(labels[test], patients[test])
        losses[strength] -= float(weights @ np.log(np.maximum(right, SMALLEST)))
    return min(losses, key=losses.__getitem__)


def candidates(patients: Names, records: IntArray, scores: FloatArray) -> list[PatientScores]:
    """Return the patients by every aggregator, over segments and then over ECGs."""
    columns = {"patient": patients, "ecg": records, "score": scores}
    found: list[PatientScores] = []
    for way in AGGREGATORS:
        request = make_request(patient="patient", score="score", levels=[("ecg", way)], how=way)
        found += read_patients(request, columns).patients.values()
    return found
