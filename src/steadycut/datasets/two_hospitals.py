"""Simulated hospitals: patients, slides, tiles, and a tumour score per tile."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steadycut.core.checks import FloatArray, check_count
from steadycut.io.safe_csv import csv_bytes

Columns = dict[str, NDArray[Any]]

MOST_SLIDES = 4
FEWEST_TILES, MOST_TILES = 20, 60
DECIMALS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Hospital:
    """What differs between hospitals: the patients, their tissue and the scanner."""

    name: str
    prevalence: float
    look_alikes: float  # mean share of benign tiles that look like tumour
    scanner_gain: float = 1.0
    scanner_offset: float = 0.0
    seed: int = 0


# The seeds are typical: every number of the demo lies in the middle half of those of 100 seeds
# (benchmarks/studies/demo.py).
HOSPITAL_A = Hospital(name="A", prevalence=0.40, look_alikes=0.04, seed=132)
HOSPITAL_B = Hospital(
    name="B", prevalence=0.45, look_alikes=0.04, scanner_gain=0.55, scanner_offset=0.45, seed=72
)
HOSPITAL_C = Hospital(name="C", prevalence=0.35, look_alikes=0.01, seed=9)
# Patients of each hospital, and how many of B have a label when the rule comes there.
SIZE, LABELLED = 300, 50


def simulate_two_hospitals(
    n_internal: int = SIZE, n_external: int = SIZE, seed: int | None = None
) -> Columns:
    """Return tile scores of two hospitals that differ in their patients and their scanner.

    Parameters
    ----------
    n_internal, n_external
        Patients at hospital A, where a cut-off is chosen, and at hospital B, where it is used.
    seed
        The same seed gives the same columns; hospital B does not depend on ``n_internal``. Default:
        the seeds of ``steadycut demo``, with which every number of the demo is typical.

    Returns
    -------
    dict of arrays
        One entry per tile: ``hospital`` (A or B), ``patient``, ``slide``, ``tile``, ``score``
        (0 to 1, four decimals) and ``tumour``, the patient's label (0 or 1).

    Notes
    -----
    A patient has one to four slides of 20 to 60 tiles. Patients differ in the scores of their
    benign tissue and of their tumour. A tumour patient has tumour tiles on some slides. Hospital
    B has more tumours, and a scanner that compresses scores and moves them up. The largest score of
    each slide, averaged over slides, gives an area under the ROC curve of about 0.90 at A and at B.
    Nothing here comes from real patients.

    Examples
    --------
    >>> table = simulate_two_hospitals()
    >>> list(table)
    ['hospital', 'patient', 'slide', 'tile', 'score', 'tumour']
    >>> len(set(table["patient"].tolist()))
    600
    """
    check_count("n_internal", n_internal)
    return simulate(
        {HOSPITAL_A: n_internal, HOSPITAL_B: check_count("n_external", n_external)}, seed
    )


def simulate(sizes: Mapping[Hospital, int], seed: int | None = None) -> Columns:
    """Return tile scores of hospitals; those of one do not depend on the sizes of the others."""
    slides: list[Columns] = []
    for place, (hospital, size) in enumerate(sizes.items()):
        own = hospital.seed if seed is None else check_count("seed", seed, at_least=0)
        rng = np.random.default_rng(own).spawn(place + 1)[place]
        for number in range(1, size + 1):
            slides += _patient(hospital, number, rng)
    return {name: np.concatenate([slide[name] for slide in slides]) for name in slides[0]}


def story_tables() -> dict[str, bytes]:
    """Return the tables of ``steadycut demo`` as CSV files, by their names.

    Hospitals A and B with all labels; B with the first 50 labels, and its other patients by the
    ``day`` of their arrival; and hospital C, where the scanner is that of A.
    """
    all_three = simulate(dict.fromkeys((HOSPITAL_A, HOSPITAL_B, HOSPITAL_C), SIZE))
    is_of = {name: all_three["hospital"] == name for name in "ABC"}
    day = np.array([int(name[1:]) for name in all_three["patient"].tolist()])
    known = np.where(day <= LABELLED, all_three["tumour"].astype(str), "")
    tables: tuple[tuple[str, Columns, NDArray[Any]], ...] = (
        ("two_hospitals.csv", {}, ~is_of["C"]),
        ("hospital_b.csv", {"tumour": known}, is_of["B"]),
        ("hospital_b_later.csv", {"day": day}, is_of["B"] & (day > LABELLED)),
        ("hospital_c.csv", {}, is_of["C"]),
    )
    return {
        file: cohort_csv({name: column[rows] for name, column in (all_three | more).items()})
        for file, more, rows in tables
    }


def write_two_hospitals(
    path: str | os.PathLike[str],
    n_internal: int = SIZE,
    n_external: int = SIZE,
    seed: int | None = None,
) -> None:
    """Write the simulated cohort as a CSV file; the same arguments give the same bytes.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_two_hospitals(f"{folder}/cohort.csv")
    ...     Path(folder, "cohort.csv").read_text(encoding="utf-8").splitlines()[0]
    'hospital,patient,slide,tile,score,tumour'
    """
    Path(path).write_bytes(cohort_csv(simulate_two_hospitals(n_internal, n_external, seed)))


def cohort_csv(columns: Columns) -> bytes:
    """Return a cohort as the bytes of a CSV file, with the decimals that its scores have."""
    scores = np.array([f"{score:.{DECIMALS}f}" for score in columns["score"]])
    return csv_bytes({**columns, "score": scores})


def _patient(hospital: Hospital, number: int, rng: np.random.Generator) -> Iterator[Columns]:
    """Yield the tiles of each slide of a patient, as columns."""
    tumour = bool(rng.random() < hospital.prevalence)
    background, strength = rng.normal(-2.2, 0.45), rng.normal(2.3, 0.9)
    shares = _tumour_shares(int(rng.integers(1, MOST_SLIDES + 1)), tumour, rng)
    name = f"{hospital.name}{number:04d}"
    for slide, share in enumerate(shares.tolist(), start=1):
        scores = _scores(hospital, background, strength, share, rng)
        n_tiles = scores.size
        yield {
            "hospital": np.full(n_tiles, hospital.name),
            "patient": np.full(n_tiles, name),
            "slide": np.full(n_tiles, f"{name}-{slide}"),
            "tile": np.arange(1, n_tiles + 1),
            "score": scores,
            "tumour": np.full(n_tiles, int(tumour)),
        }


def _tumour_shares(n_slides: int, tumour: bool, rng: np.random.Generator) -> FloatArray:  # noqa: FBT001
    """Return the share of tumour tiles on each slide; with a tumour at least one slide has some."""
    affected = rng.random(n_slides) < 0.75  # noqa: PLR2004
    affected[rng.integers(n_slides)] = True
    return rng.beta(2, 6, n_slides) * (affected & tumour)


def _scores(
    hospital: Hospital, background: float, strength: float, share: float, rng: np.random.Generator
) -> FloatArray:
    """Return the tile scores of one slide, as its scanner gives them."""
    n_tiles = int(rng.integers(FEWEST_TILES, MOST_TILES + 1))
    logits = background + rng.normal(0, 0.15) + rng.normal(0, 0.6, n_tiles)
    look_alike = rng.random(n_tiles) < rng.beta(1, 1 / hospital.look_alikes - 1)
    logits += look_alike * rng.normal(1.5, 0.5, n_tiles)
    logits += (rng.random(n_tiles) < share) * np.maximum(rng.normal(strength, 0.5, n_tiles), 0)
    seen: FloatArray = hospital.scanner_offset + hospital.scanner_gain / (1 + np.exp(-logits))
    return np.round(seen.clip(0, 1), DECIMALS)
