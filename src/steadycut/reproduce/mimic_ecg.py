"""The paper's MIMIC-IV-ECG tables from segments of records."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steadycut.core.checks import FloatArray, IntArray
from steadycut.core.records import PatientScores
from steadycut.core.split import split_patients
from steadycut.ingest import make_request, read_patients
from steadycut.pipelines.ecg.pipeline import Segments
from steadycut.pipelines.ecg.training import deal_training, segments_of, train_on
from steadycut.reproduce.halves import table_of_deals, with_labels
from steadycut.reproduce.table import Hospitals
from steadycut.study.fit import Progress

# Segments to ECGs and ECGs to patients, the same both times; the first is the paper's.
AGGREGATORS = ("quantile:0.9", "mean", "max")


def mimic_table(
    segments: Segments,
    patients: Sequence[str | None],
    labels: Mapping[str, int],
    train_share: float,
    replicates: int,
    options: Mapping[str, Any],
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Return the tables; each replicate deals the patients anew and trains a new scorer.

    ``patients`` has one entry a record, None for a record that has no label.
    """
    deal = partial(hospitals, segments, patients, labels, train_share)
    return table_of_deals(deal, options["seed"], replicates, options, progress)


def hospitals(
    segments: Segments,
    patients: Sequence[str | None],
    labels: Mapping[str, int],
    train_share: float,
    seed: int,
) -> Hospitals:
    """Deal patients into P and Q, train on a part of P, and score the rest of P and all of Q.

    Half of the patients are P, at random as in the paper. Of P a share trains the scorer and has
    no other role; the others choose and certify.
    """
    present = {patients[record] for record in np.unique(segments.record).tolist()}
    names = sorted(name for name in present if name is not None)
    rng = np.random.default_rng(seed)
    roles = split_patients(len(names), 0.5, rng)
    inside, outside = ({names[i] for i in part.tolist()} for part in (roles.select, roles.certify))
    training = deal_training({name: labels[name] for name in inside}, train_share, rng)
    scorer = train_on(segments, patients, labels, training)
    sides = []
    for wanted in (inside - training, outside):
        mine, whose = segments_of(segments, patients, wanted)
        found = candidates(whose, mine.record, scorer.score(mine.features))
        sides.append(with_labels(found, labels))
    return sides[0], sides[1]


def candidates(
    patients: NDArray[np.str_], records: IntArray, scores: FloatArray
) -> list[PatientScores]:
    """Return the patients by every aggregator, over segments and then over ECGs."""
    columns = {"patient": patients, "ecg": records, "score": scores}
    found: list[PatientScores] = []
    for way in AGGREGATORS:
        request = make_request(patient="patient", score="score", levels=[("ecg", way)], how=way)
        found += read_patients(request, columns).patients.values()
    return found
