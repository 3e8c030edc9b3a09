"""Where all patients choose and check, neither their names nor the order of rows matters."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import steadycut
from steadycut import PatientScores

# What names the table, and a hash of everything.
TABLE = ("data_sha256", "sha256")


def shuffled(cohort, order, letters):
    """Return the same patients under other names, which sort in another order."""
    names = [f"{letters[place % len(letters)]}{place}" for place in range(order.size)]
    columns = {
        name: getattr(cohort, name)[order]
        for name in ("scores", "labels", "sites", "n_instances")
        if getattr(cohort, name) is not None
    }
    attributes = {name: column[order] for name, column in cohort.attributes.items()}
    return PatientScores(**columns, patients=names, attributes=attributes, recipe=cohort.recipe)


def cohort_of(seed, n=120):
    rng = np.random.default_rng(seed)
    labels = np.concatenate([[0, 0, 1, 1], rng.integers(0, 2, n - 4)])
    scores = np.round(rng.normal(size=n) + 1.5 * labels, rng.integers(0, 4))
    return PatientScores(
        scores=scores,
        labels=labels,
        patients=[f"p{place:03d}" for place in range(n)],
        sites=rng.choice(["north", "south"], n),
        n_instances=rng.integers(1, 4, n),
        attributes={"sex": rng.choice(["f", "m"], n)},
    )


def content(frozen):
    """Return everything that a frozen file says, without what names the table."""

    def without(part):
        if isinstance(part, dict):
            return {name: without(value) for name, value in part.items() if name not in TABLE}
        return [without(value) for value in part] if isinstance(part, list) else part

    return without(json.loads(frozen.to_bytes()))


OPTIONS = (
    {},
    {"stratify": "site"},
    {"stratify": "sex"},
    {"target_prevalence": 0.3},
    {"direction": "le"},
    {"certify": "sensitivity:0.7", "certify_cost": 0.3, "rule": "youden"},
)


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    options=st.sampled_from(OPTIONS),
    letters=st.text("abcxyz", min_size=1),
)
@pytest.mark.filterwarnings("ignore::steadycut.errors.SteadycutWarning")
def test_names_and_the_order_of_rows_change_nothing(seed, options, letters):
    cohort = cohort_of(seed)
    other = shuffled(cohort, np.random.default_rng(seed + 1).permutation(120), letters)
    one, two = (
        steadycut.fit(each, honesty="uniform", n_bootstrap=20, **options)
        for each in (cohort, other)
    )
    assert content(one.freeze()) == content(two.freeze())
    assert content(one.freeze(small_cells=2)) == content(two.freeze(small_cells=2))
