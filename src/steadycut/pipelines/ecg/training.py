"""Which patients train the scorer: they get no score, so that nobody can choose a cut on them."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from steadycut.core.checks import check_fraction
from steadycut.core.split import split_classes
from steadycut.errors import TooFewPatients
from steadycut.pipelines.ecg.features import NAMES
from steadycut.pipelines.ecg.pipeline import Segments
from steadycut.pipelines.ecg.scorer import SegmentScorer, train_scorer

FEWEST_A_CLASS = 2


def deal_training(labels: Mapping[str, int], share: float, rng: np.random.Generator) -> set[str]:
    """Return the patients who train, a share of each class.

    Stratifying is allowed here: the deal between those who choose a cut-off and those who certify
    it comes later, and does not look at labels.

    Examples
    --------
    >>> labels = {f"p{i}": i % 2 for i in range(20)}
    >>> dealt = deal_training(labels, 0.4, np.random.default_rng(0))
    >>> len(dealt), sum(labels[name] for name in dealt)
    (8, 4)
    """
    check_fraction("train_share", share)
    names = sorted(labels)
    classes = np.array([labels[name] for name in names], dtype=np.int8)
    fewest = int(min(classes.sum(), (1 - classes).sum())) if names else 0
    if fewest < FEWEST_A_CLASS:
        msg = (
            f"training needs at least {FEWEST_A_CLASS} patients of each class; the smaller class "
            f"has {fewest} of {len(names)}."
        )
        raise TooFewPatients(msg)
    dealt = split_classes(classes, 1 - share, rng).select
    return {names[place] for place in dealt.tolist()}


def train_on(
    segments: Segments,
    patients: Sequence[str | None],
    labels: Mapping[str, int],
    training: set[str],
) -> SegmentScorer:
    """Train the scorer on the segments of some patients; ``patients`` has one entry a record."""
    mine = segments.of_records(_of(patients, training))
    whose = np.array([patients[record] for record in mine.record.tolist()])
    label = np.array([labels[name] for name in whose.tolist()], dtype=np.int8)
    return train_scorer(mine.features, label, whose, NAMES)


def segments_of(
    segments: Segments, patients: Sequence[str | None], wanted: set[str]
) -> tuple[Segments, NDArray[np.str_]]:
    """Return the segments of some patients, and whose each of them is."""
    kept = segments.of_records(_of(patients, wanted))
    return kept, np.array([patients[record] for record in kept.record.tolist()], dtype=np.str_)


def _of(patients: Sequence[str | None], wanted: set[str]) -> NDArray[np.bool_]:
    return np.array([name in wanted for name in patients], dtype=bool)
