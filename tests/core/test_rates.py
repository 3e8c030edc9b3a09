"""Sensitivity, predictive values, kappa and the like, from the four counts."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2_contingency
from sklearn import metrics

from steadycut.core import rates as characteristics

TABLE = (8, 2, 5, 15)
counts = st.tuples(*[st.integers(0, 40)] * 4)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("sensitivity", 8 / 10),
        ("specificity", 15 / 20),
        ("ppv", 8 / 13),
        ("npv", 15 / 17),
        ("plr", 0.8 / 0.25),
        ("nlr", 0.2 / 0.75),
        ("odds_ratio", 8 * 15 / (5 * 2)),
        ("risk_ratio", (8 / 13) / (2 / 17)),
        ("accuracy", 23 / 30),
        ("youden", 0.55),
        ("kappa", 2 * (8 * 15 - 2 * 5) / (13 * 20 + 10 * 17)),
        ("f1", 16 / 23),
        ("jaccard", 8 / 15),
        ("mcc", 110 / np.sqrt(13 * 17 * 10 * 20)),
        ("call_rate", 13 / 30),
        ("prevalence", 10 / 30),
        ("chi_squared", 30 * 110**2 / (13 * 17 * 10 * 20)),
    ],
)
def test_a_table_by_hand(name, value):
    assert getattr(characteristics, name)(*TABLE) == pytest.approx(value, rel=1e-12)


def test_weighted_characteristics_by_hand():
    assert characteristics.net_benefit(0.2)(*TABLE) == pytest.approx((8 - 5 / 4) / 30)
    assert characteristics.weighted_kappa(0.2)(*TABLE) == pytest.approx(
        110 / (0.2 * 10 * 17 + 0.8 * 20 * 13)
    )


@pytest.mark.parametrize(
    ("name", "table"),
    [
        ("sensitivity", (0, 0, 3, 4)),
        ("specificity", (3, 4, 0, 0)),
        ("ppv", (0, 3, 0, 4)),
        ("npv", (3, 0, 4, 0)),
        ("plr", (0, 3, 0, 4)),
        ("nlr", (3, 0, 4, 0)),
        ("odds_ratio", (3, 0, 4, 0)),
        ("risk_ratio", (0, 0, 3, 4)),
        ("kappa", (0, 0, 0, 5)),
        ("f1", (0, 0, 0, 5)),
        ("mcc", (0, 3, 0, 4)),
        ("chi_squared", (0, 3, 0, 4)),
        ("accuracy", (0, 0, 0, 0)),
    ],
)
def test_what_nobody_has_is_not_a_number(name, table):
    assert np.isnan(getattr(characteristics, name)(*table))


def test_only_below_the_line_is_infinite():
    assert characteristics.plr(3, 1, 0, 4) == np.inf
    assert characteristics.odds_ratio(3, 0, 1, 4) == np.inf


@given(counts)
def test_other_packages_agree(table):
    """The functions of scikit-learn and scipy, on the same patients."""
    tp, fn, fp, tn = table
    truth = np.repeat([1, 1, 0, 0], table)
    called = np.repeat([1, 0, 1, 0], table)
    if tp + fn and fp + tn and tp + fp and fn + tn:
        expected = chi2_contingency([[tp, fp], [fn, tn]], correction=False)
        assert characteristics.chi_squared(*table) == pytest.approx(expected.statistic, abs=1e-9)
        pairs = {
            "kappa": metrics.cohen_kappa_score,
            "mcc": metrics.matthews_corrcoef,
            "f1": metrics.f1_score,
            "jaccard": metrics.jaccard_score,
            "ppv": metrics.precision_score,
            "sensitivity": metrics.recall_score,
            "accuracy": metrics.accuracy_score,
        }
        for name, peer in pairs.items():
            ours = getattr(characteristics, name)(*table)
            assert ours == pytest.approx(peer(truth, called), abs=1e-12)


@given(st.lists(counts, min_size=1, max_size=5))
def test_arrays_are_done_at_once_and_without_a_warning(tables):
    columns = [np.array(column) for column in zip(*tables, strict=True)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in ("plr", "nlr", "risk_ratio", "kappa", "mcc", "chi_squared", "youden"):
            function = getattr(characteristics, name)
            one_by_one = [function(*table) for table in tables]
            # numpy's powers of arrays and of numbers differ in the last bits.
            np.testing.assert_allclose(function(*columns), one_by_one, rtol=1e-12)
