"""MIMIC-IV-ECG (the Demo, or the whole set) as it is downloaded: records, patients and labels."""

import csv
import re
from collections.abc import Mapping
from pathlib import Path

from steadycut.errors import BadOption, BadTable
from steadycut.pipelines.sheet import read_records
from steadycut.pipelines.skipped import SkippedFile, skip_after

RECORDS, READINGS = "record_list.csv", "machine_measurements.csv"
SUBJECT = re.compile(r"p(\d{8})")
REPORT = re.compile(r"report_\d+")
PATIENT_COLUMNS = ("subject_id", "patient")
FINDING = "atrial fibrillation"


def find_mimic(data: Path) -> tuple[dict[Path, str], list[SkippedFile]]:
    """Return the header file of every record with its patient, and what must be skipped.

    ``record_list.csv`` is followed where it can be read. Otherwise records are found by their
    folders: ``files/p10001217/s102172660/102172660.hea`` as in the Demo, with or without the
    folder ``p1000`` of the whole set.
    """
    if not data.is_dir():
        msg = f"--data must be the folder of MIMIC-IV-ECG; {data} is none."
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
        msg = f"no record was found below {data}. Expected is files/pNNNNNNNN/sNNN/NNN.hea."
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
        Folder of the data set; ``machine_measurements.csv`` in it is read without a ``sheet``.
    sheet
        CSV with the columns ``subject_id`` (or ``patient``) and ``label``, 0 or 1.
    finding
        A patient is positive if any line of any of his machine readings contains this text.
    """
    if sheet is not None:
        return _given(sheet)
    readings = data / READINGS
    if not readings.is_file():
        msg = (
            f"the Demo has no labels, and there is no {READINGS} in {data}. Give --labels with "
            f"subject_id and label, or put {READINGS} of the whole set there."
        )
        raise BadOption(msg)
    return _from_readings(readings, finding)


def _given(sheet: Path) -> dict[str, int]:
    labels: dict[str, int] = {}
    for row in read_records(sheet, ("label",)):
        patient = next((row[name] for name in PATIENT_COLUMNS if row.get(name)), None)
        if patient is None or row["label"] not in {"0", "1"}:
            msg = f"the sheet {sheet} must have subject_id and label, 0 or 1, in every row."
            raise BadTable(msg)
        if labels.setdefault(patient, int(row["label"])) != int(row["label"]):
            msg = f"the sheet {sheet} gives one patient two labels. A label belongs to the patient."
            raise BadTable(msg)
    return labels


def _from_readings(readings: Path, finding: str) -> dict[str, int]:
    """Read line by line: the whole set has 800,000 readings."""
    wanted = finding.lower()
    labels: dict[str, int] = {}
    with readings.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        rows = csv.DictReader(file)
        reports = [name for name in rows.fieldnames or [] if REPORT.fullmatch(name)]
        if "subject_id" not in (rows.fieldnames or []) or not reports:
            msg = f"{readings} must have the columns subject_id and report_0, report_1, ..."
            raise BadTable(msg)
        for row in rows:
            label = int(_is_positive(row, reports, wanted))
            labels[row["subject_id"]] = max(labels.get(row["subject_id"], 0), label)
    return labels


def _is_positive(row: Mapping[str, str | None], reports: list[str], wanted: str) -> bool:
    return any(wanted in (row[name] or "").lower() for name in reports)
