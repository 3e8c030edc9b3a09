"""Patients of one data set dealt into the internal half P and the external half Q."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from steadycut.core.records import PatientScores
from steadycut.core.split import split_classes, split_patients
from steadycut.errors import TooFewPatients
from steadycut.reproduce.table import Hospitals, table_result
from steadycut.study.fit import Progress

# Below this P cannot both choose and certify.
FEWEST_A_CLASS = 4
MOST_TRIES = 10


def with_labels(
    candidates: Sequence[PatientScores], labels: Mapping[str, int]
) -> list[PatientScores]:
    """Return the candidates with the label of each patient (or slide), by identifier."""
    return [
        replace_labels(one, [labels[name] for name in np.asarray(one.patients).tolist()])
        for one in candidates
    ]


def replace_labels(patients: PatientScores, labels: Sequence[int]) -> PatientScores:
    """Return the same patients with other labels."""
    return replace(patients, labels=np.asarray(labels, dtype=np.int8))


def deal_halves(
    candidates: Sequence[PatientScores],
    seed: int,
    *,
    stratified: bool,
    owners: Mapping[str, str] | None = None,
) -> Hospitals:
    """Deal the rows at random into P and Q, half and half.

    Parameters
    ----------
    candidates
        The same patients, or slides, by every aggregator.
    seed
        Of the deal.
    stratified
        Whether both halves get the same share of each class.
    owners
        Patient of each slide, where the rows are slides: all slides of a patient stay together,
        and a patient with any positive slide is positive.
    """
    rows = np.asarray(candidates[0].patients)
    owner = np.array([owners[name] for name in rows.tolist()]) if owners else rows
    names, place = np.unique(owner, return_inverse=True)
    labels = np.zeros(names.size, dtype=np.int8)
    np.maximum.at(labels, place, candidates[0].known_labels)
    _check_enough(labels)
    rng = np.random.default_rng(seed)
    roles = split_classes(labels, 0.5, rng) if stratified else split_patients(names.size, 0.5, rng)
    inside = np.isin(place, roles.select)
    return [one.take(inside) for one in candidates], [one.take(~inside) for one in candidates]


def table_of_deals(
    deal: Callable[[int], Hospitals],
    seed: int,
    replicates: int,
    options: Mapping[str, Any],
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Return the tables of one deal of the patients, and over replicates with other seeds.

    Few patients may be dealt so that a role lacks a class and a rule has no cut-off. Such a deal
    is passed over, and the next seed taken; nothing is looked at but whether a cut-off exists.
    """
    for number in range(seed, seed + MOST_TRIES):
        try:
            others = _deals(deal, number, replicates)
            settings = {**options, "seed": number}
            return table_result(deal(number), others, replicates, settings, progress)
        except TooFewPatients as error:
            last = error
    raise last


def _deals(
    deal: Callable[[int], Hospitals], seed: int, replicates: int
) -> Iterator[tuple[int, Hospitals]]:
    for number in range(seed, seed + replicates):
        try:
            yield number, deal(number)
        except TooFewPatients:
            continue


def _check_enough(labels: np.ndarray) -> None:
    fewest = int(min(labels.sum(), (1 - labels).sum()))
    if fewest < FEWEST_A_CLASS:
        msg = (
            f"halves P and Q need at least {FEWEST_A_CLASS} patients of each class; the smaller "
            f"class has {fewest} of {labels.size}."
        )
        raise TooFewPatients(msg)
