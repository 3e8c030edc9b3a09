"""Figure S1: the same call for every model, and a bound whose parts are known."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from paper.figure_s1_simulation import (
    Setting,
    Terms,
    bound_of,
    draw_cells,
    models,
    patient_scores,
)
from steadycut.core.bounds.concentration import dkw
from steadycut.core.confusion import confusion_at
from steadycut.core.records import Costs


@pytest.fixture(scope="module")
def scored():
    rng = np.random.default_rng(0)
    training, pool, population = (draw_cells(n, Setting(), rng) for n in (60, 200, 500))
    return training, pool, patient_scores(LogisticRegression(), training, [pool, population], rng)


def test_a_patients_score_is_the_mean_of_his_cells(scored):
    training, pool, (validation, _) = scored
    plain = LogisticRegression().fit(training.X, training.y)
    by_cell = plain.predict_proba(pool.X)[:, 1]
    assert validation.scores == pytest.approx(by_cell.reshape(200, -1).mean(axis=1))
    assert validation.known_labels.tolist() == pool.labels.tolist()


def test_the_parts_of_the_bound(scored):
    *_, (validation, population) = scored
    one = bound_of(validation, population, replace(Terms(), gap="dkw"), 0)
    counts = confusion_at(validation, 0.5)
    assert one.parts["gap"] == dkw(counts, Costs(), 0.10)
    assert one.bound == sum(one.parts.values()) > one.parts["risk"]
    # gamma and G_boot have no t in them.
    assert one.same_as_erm


def test_the_five_models_of_the_caption():
    assert list(models()) == [
        "logistic regression",
        "random forest",
        "histogram gradient boosting",
        "AdaBoost",
        "shallow MLP",
    ]


def test_cells_of_the_sick_differ_in_mean_and_in_size():
    cells = draw_cells(4000, Setting(), np.random.default_rng(0))
    sick = cells.y == 1
    means = [cells.X[rows].mean(axis=0) for rows in (~sick, sick)]
    assert means[1] - means[0] == pytest.approx([0.8, 0, 0, 0, 0, 0], abs=0.1)
    sizes = [cells.X[rows, 1].std() for rows in (~sick, sick)]
    assert sizes[1] > sizes[0] + 0.3
