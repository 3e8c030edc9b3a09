"""Split the patients of one data set into an internal half P and an external half Q."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from paper.table import Hospitals, judge_methods, table_result
from steadycut.core.records import PatientScores
from steadycut.core.split import split_classes
from steadycut.errors import BadPatients, NoFeasibleCut, TooFewPatients
from steadycut.ingest.patients import Progress

# With fewer patients P cannot both choose and certify.
FEWEST_PER_CLASS = 4
# Splits that are tried for each replicate.
MOST_TRIES = 20


def with_labels(
    candidates: Sequence[PatientScores], labels: Mapping[str, int]
) -> list[PatientScores]:
    """Return the candidates with the label of each patient (or slide), by identifier."""
    names = [np.asarray(one.patients).tolist() for one in candidates]
    known = [np.array([labels[name] for name in mine], dtype=np.int8) for mine in names]
    return [replace(one, labels=mine) for one, mine in zip(candidates, known, strict=True)]


def deal_halves(
    candidates: Sequence[PatientScores], seed: int, owners: Mapping[str, str] | None = None
) -> Hospitals:
    """Split the rows at random into P and Q, half and half of each class.

    Parameters
    ----------
    candidates
        The same patients, or slides, by every aggregator.
    seed
        Seed of the split.
    owners
        Patient of each slide, if the rows are slides. All slides of a patient stay together, and
        a patient with any positive slide is positive.
    """
    rows = np.asarray(candidates[0].patients)
    owner = np.array([owners[name] for name in rows.tolist()]) if owners else rows
    names, place = np.unique(owner, return_inverse=True)
    labels = np.zeros(names.size, dtype=np.int8)
    np.maximum.at(labels, place, candidates[0].known_labels)
    _check_enough(labels)
    roles = split_classes(labels, 0.5, np.random.default_rng(seed))
    inside = np.isin(place, roles.select)
    return [one.take(inside) for one in candidates], [one.take(~inside) for one in candidates]


def table_of_deals(
    deal: Callable[[int], Hospitals],
    replicates: int,
    options: Mapping[str, Any],
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Return the tables of one split of the patients, and over replicates with other seeds.

    ``deal`` splits the patients by a seed. The first seed is that of ``options``.

    With few patients a role may lack a class, so that a rule has no cut-off. Such a split is passed
    over and counted, and the next seed is used. Nothing else decides whether a split is used.
    """
    first_seed = options["seed"]
    numbers = range(first_seed, first_seed + MOST_TRIES * max(replicates, 1))
    for tried, number in enumerate(numbers):
        try:
            first, settings = deal(number), {**options, "seed": number}
            judge_methods(first, settings)
        except (BadPatients, NoFeasibleCut) as error:
            last = error
            continue
        others = ((one, _dealt(deal, one)) for one in numbers[tried:])
        content = table_result(first, others, replicates, settings, progress)
        return {**content, "passed_over": content["passed_over"] + tried}
    raise last


def _dealt(deal: Callable[[int], Hospitals], seed: int) -> Hospitals | None:
    try:
        return deal(seed)
    except TooFewPatients:
        return None


def _check_enough(labels: np.ndarray) -> None:
    fewest = int(min(labels.sum(), (1 - labels).sum()))
    if fewest < FEWEST_PER_CLASS:
        msg = (
            f"halves P and Q need at least {FEWEST_PER_CLASS} patients of each class; the smaller "
            f"class has {fewest} of {labels.size}."
        )
        raise TooFewPatients(msg)
