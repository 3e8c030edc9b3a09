"""Which patients train the scorer. They get no score, so no cut-off can be chosen on them."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from steadycut.core.checks import FloatArray, check_fraction
from steadycut.core.split import split_classes
from steadycut.errors import BadOption, TooFewPatients
from steadycut.pipelines.ecg.features import NAMES
from steadycut.pipelines.ecg.pipeline import Segments
from steadycut.pipelines.ecg.scorer import SegmentScorer, train_scorer
from steadycut.pipelines.sheet import Origin, patient_labels

FEWEST_PER_CLASS = 2
Names = NDArray[np.str_]


def labels_of_patients(sheet: Mapping[str, Origin]) -> dict[str, int]:
    """Return the label of each patient who has one; refuse a sheet without labels."""
    rows = [(origin.patient, origin.label) for origin in sheet.values()]
    labels = patient_labels([(patient, label) for patient, label in rows if patient and label])
    if not labels:
        raise BadOption(
            "a scorer is trained on labels: give --sheet with record, patient, label; or --scorer."
        )
    return labels


def train_apart(
    segments: Segments, whose: Names, labels: Mapping[str, int], share: float, seed: int
) -> tuple[SegmentScorer, Segments, int]:
    """Train on some patients; return the scorer, the other patients' segments, and how many train.

    ``whose`` is the patient of each segment.
    """
    known = {name: labels[name] for name in np.unique(whose).tolist() if name in labels}
    training = deal_training(known, share, np.random.default_rng(seed))
    others = np.isin(whose, sorted(set(known) - training))
    scorer = train_scorer(*rows_of(segments, whose, labels, training), NAMES)
    return scorer, segments.take(others), len(training)


def deal_training(labels: Mapping[str, int], share: float, rng: np.random.Generator) -> set[str]:
    """Return the patients who train: the same share of each class.

    Looking at labels is allowed here. The later split into patients who choose a cut-off and
    patients who certify it does not look at labels.

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
    if fewest < FEWEST_PER_CLASS:
        raise TooFewPatients(
            f"training needs at least {FEWEST_PER_CLASS} patients of each class; the smaller class "
            f"has {fewest} of {len(names)}."
        )
    dealt = split_classes(classes, 1 - share, rng).select
    return {names[place] for place in dealt.tolist()}


def rows_of(
    segments: Segments, whose: Names, labels: Mapping[str, int], training: set[str]
) -> tuple[FloatArray, NDArray[np.int8], Names]:
    """Return features, label and patient of each segment of the patients who train."""
    mine = np.isin(whose, sorted(training))
    label = np.array([labels[name] for name in whose[mine].tolist()], dtype=np.int8)
    return segments.features[mine], label, whose[mine]
