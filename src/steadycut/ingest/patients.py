"""Raw columns -> patients. Every check of rows is here, whatever the table came from."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from steadycut.core.aggregate import nest, patient_segments, sort_segments
from steadycut.core.checks import LARGEST_SCORE, FloatArray, IntArray
from steadycut.core.clusters import Clusters, clusters_of
from steadycut.core.records import PatientScores
from steadycut.errors import BadPatients, BadTable, MissingScores
from steadycut.ingest.labels import code_labels
from steadycut.ingest.raw import KeyColumn, RawTable, ScoreColumn
from steadycut.ingest.request import Request
from steadycut.ingest.sites import refuse_overlap, rows_at_sites

# Texts that are shown as examples of what is no score: nothing else, it may identify a patient.
NUMBER_LIKE = re.compile(r"[-+]?(\d*,\d+|\d{1,3}[ ']\d{3})|[<>]? ?\d*[.,]?\d+ ?%?", re.ASCII)
MISSING_MARKS = frozenset({"-", "--", ".", "?", "#n/a", "n.a.", "nd", "missing", "unknown"})


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PatientTable:
    """Patients by (score column, aggregator), and what was left out on the way.

    Every entry of ``patients`` holds the same patients. ``n_rows`` counts the rows of the sites
    that are asked for, ``n_dropped`` those without a usable score that were left out, and
    ``n_patients_dropped`` the patients who had no other rows. ``clusters`` says, by score column,
    how alike the rows of a patient are; None where that is not defined.
    """

    patients: Mapping[tuple[str, str], PatientScores]
    n_rows: int
    n_dropped: int
    n_patients_dropped: int
    clusters: Mapping[str, Clusters | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class _Rows:
    """Checked rows: dense patient codes, and what each patient is."""

    patient_of: IntArray
    levels: tuple[IntArray, ...]
    scores: Mapping[str, FloatArray]
    patients: NDArray[np.str_]
    labels: NDArray[np.int8] | None
    sites: NDArray[np.str_] | None


def build_patients(raw: RawTable, request: Request) -> PatientTable:
    """Check the rows of a table and aggregate them to patients.

    Parameters
    ----------
    raw
        What an engine read.
    request
        What is asked. Rows of other sites than the named ones are left out, whatever is in them.
        ``missing="drop"`` leaves out rows in which any of the asked scores is
        missing, NaN or infinite, so that all score columns see the same rows; a patient who
        has no other rows is left out and counted. Identifiers, labels, sites and levels must be
        there in every row, also in dropped ones.

    Returns
    -------
    PatientTable
        To the last bit the same for any order of rows.
    """
    raw = asked_rows(raw, request)
    _check_filled(raw, request.keys)
    usable = _usable_rows(raw, request)
    rows = _keep(_rows(raw, request), usable)
    return PatientTable(
        patients=_aggregate(rows, request),
        n_rows=usable.size,
        n_dropped=int(np.count_nonzero(~usable)),
        n_patients_dropped=_n_distinct(raw.keys[request.patient].codes) - rows.patients.size,
        clusters={score: _clusters(rows, score) for score in request.scores},
    )


def _clusters(rows: _Rows, score: str) -> Clusters | None:
    if rows.patient_of.size == rows.patients.size:
        return None
    return clusters_of(sort_segments(rows.patient_of, rows.scores[score]), rows.labels)


def _aggregate(rows: _Rows, request: Request) -> dict[tuple[str, str], PatientScores]:
    steps, n_instances = nest(rows.patient_of, rows.levels), np.bincount(rows.patient_of)
    found = {}
    for score in request.scores:
        segments = patient_segments(steps, rows.scores[score], request.level_aggregators)
        for aggregator in request.aggregators:
            found[score, aggregator.name] = PatientScores(
                scores=aggregator(segments),
                labels=rows.labels,
                patients=rows.patients,
                sites=rows.sites,
                n_instances=n_instances,
                recipe=request.recipe(score, aggregator.name),
            )
    return found


def _rows(raw: RawTable, request: Request) -> _Rows:
    patient = raw.keys[request.patient]
    return _Rows(
        patient_of=patient.codes,
        levels=tuple(raw.keys[column].codes for column, _ in request.levels),
        scores={name: column.values for name, column in raw.scores.items()},
        patients=np.array(patient.texts, dtype=np.str_),
        labels=_patient_labels(raw, request),
        sites=_patient_sites(raw, request),
    )


def _keep(rows: _Rows, usable: NDArray[np.bool_]) -> _Rows:
    """Return the usable rows, and only patients who have some."""
    has_rows = np.bincount(rows.patient_of[usable], minlength=rows.patients.size) > 0
    kept, renumbered = np.flatnonzero(has_rows), np.cumsum(has_rows) - 1
    return _Rows(
        patient_of=renumbered[rows.patient_of[usable]],
        levels=tuple(level[usable] for level in rows.levels),
        scores={name: values[usable] for name, values in rows.scores.items()},
        patients=rows.patients[kept],
        labels=None if rows.labels is None else rows.labels[kept],
        sites=None if rows.sites is None else rows.sites[kept],
    )


# What a patient is -----------------------------------------------------------------------


def _patient_labels(raw: RawTable, request: Request) -> NDArray[np.int8] | None:
    if request.label is None:
        return None
    column, patient = raw.keys[request.label], raw.keys[request.patient]
    occurring = np.unique(column.codes)
    texts = [column.texts[code] for code in occurring]
    coded = np.zeros(len(column.texts), dtype=np.int8)
    coded[occurring] = _code(texts, request)
    labels, n_conflicts = _one_a_patient(patient, coded[column.codes].astype(np.int64))
    if n_conflicts:
        who = "1 patient has" if n_conflicts == 1 else f"{n_conflicts} patients have"
        msg = (
            f"a patient must have one label; {who} both labels in {request.label!r}. "
            "Mend the labels, or name a patient-level label column."
        )
        raise BadPatients(msg)
    return labels.astype(np.int8)


def _code(texts: list[str], request: Request) -> NDArray[np.int8]:
    assert request.label is not None  # noqa: S101
    must_occur = request.positive_occurs
    return code_labels(texts, request.label, request.positive, must_occur=must_occur)


def _patient_sites(raw: RawTable, request: Request) -> NDArray[np.str_] | None:
    if request.site is None:
        return None
    column, patient = raw.keys[request.site], raw.keys[request.patient]
    sites, n_conflicts = _one_a_patient(patient, column.codes)
    refuse_overlap(n_conflicts, request.site)
    return np.array(column.texts, dtype=np.str_)[sites]


def _one_a_patient(patient: KeyColumn, codes: IntArray) -> tuple[IntArray, int]:
    """Return one code a patient, and how many patients have several."""
    found = np.zeros(len(patient.texts), dtype=np.int64)
    found[patient.codes] = codes
    differs = found[patient.codes] != codes
    return found, _n_distinct(patient.codes[differs])


def _n_distinct(codes: IntArray) -> int:
    return np.unique(codes).size


# Gaps ------------------------------------------------------------------------------------


def asked_rows(raw: RawTable, request: Request) -> RawTable:
    """Return the rows of the sites that are asked for; of a gap in the site nobody can tell."""
    if not raw.keys[request.patient].codes.size:
        msg = "the table has no rows; at least one instance of one patient is needed."
        raise BadTable(msg)
    if request.site is not None:
        _check_filled(raw, [request.site])
    return rows_at_sites(raw, request)


def _check_filled(raw: RawTable, names: Iterable[str]) -> None:
    for name in names:
        n_missing, n_rows = raw.keys[name].n_missing, raw.keys[name].codes.size
        if n_missing:
            have = "has" if n_missing == 1 else "have"
            msg = (
                f"column {name!r} must be filled in every row; {n_missing} of {n_rows} rows "
                f"{have} nothing there. Fill these in, or remove the rows."
            )
            raise BadTable(msg)


def _usable_rows(raw: RawTable, request: Request) -> NDArray[np.bool_]:
    patients = frozenset(raw.keys[request.patient].texts)
    finite = [_finite(name, raw.scores[name], patients) for name in request.scores]
    usable: NDArray[np.bool_] = np.logical_and.reduce(finite)
    if request.missing == "refuse":
        _refuse_gaps(dict(zip(request.scores, finite, strict=True)))
    if not usable.any():
        msg = f"no row has a usable score in {_listed(request.scores)}; all {usable.size} lack one."
        raise MissingScores(msg)
    return usable


def _finite(name: str, column: ScoreColumn, patients: frozenset[str]) -> NDArray[np.bool_]:
    _check_readable(name, column, patients)
    finite = np.isfinite(column.values)
    if np.abs(column.values[finite]).max(initial=0.0) > LARGEST_SCORE:
        msg = f"scores in {name!r} must not exceed {LARGEST_SCORE:g} in size. Rescale them."
        raise BadTable(msg)
    return finite


def _check_readable(name: str, column: ScoreColumn, patients: frozenset[str]) -> None:
    if not column.unreadable:
        return
    texts = set(column.unreadable.values())
    shown = sorted(text for text in texts - patients if _may_be_shown(text))
    example = f", such as {shown[0]!r}" if shown else ""
    n_bad = len(column.unreadable)
    msg = (
        f"scores in {name!r} must be numbers with a decimal point; {n_bad} of "
        f"{column.values.size} {'is' if n_bad == 1 else 'are'} other text{example}. "
        "Mend them, or name another column."
    )
    raise BadTable(msg)


def _may_be_shown(text: str) -> bool:
    """Whether a text is a number in another notation, or a usual mark for a missing one."""
    tidy = text.strip().casefold()
    return tidy in MISSING_MARKS or NUMBER_LIKE.fullmatch(tidy) is not None


def _refuse_gaps(finite: Mapping[str, NDArray[np.bool_]]) -> None:
    gaps = {name: int(np.count_nonzero(~rows)) for name, rows in finite.items()}
    found = [f"{count} of {finite[name].size} in {name!r}" for name, count in gaps.items() if count]
    if found:
        are = "is" if sum(gaps.values()) == 1 else "are"
        msg = (
            f"every row must have a finite score; {', '.join(found)} {are} missing, NaN or "
            "infinite. Mend these rows, or leave them out with missing='drop' (--missing drop)."
        )
        raise MissingScores(msg)


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(map(repr, names))
