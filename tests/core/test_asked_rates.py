"""Whether a rate is as high as asked for, by hand and by properties."""

import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from steadycut.core import asked_rates
from steadycut.core.asked_rates import CertifiedRate, certified_rates, parse_rates
from steadycut.core.confusion import Confusion
from steadycut.core.verdict import MOST_PATIENTS
from steadycut.errors import BadOption

ORDER = ["no", "cannot tell", "yes"]


def rate(right, n, asked=0.9, delta=0.1, n_choices=0):
    return CertifiedRate(
        rate="sensitivity",
        asked=asked,
        right=right,
        n_patients=n,
        delta=delta,
        n_choices=n_choices,
    )


SHARES = st.sampled_from([0.05, 0.3, 0.5, 0.8, 0.9, 0.95])
RATES = st.integers(0, 60).flatmap(
    lambda n: st.builds(
        rate,
        right=st.integers(0, n),
        n=st.just(n),
        asked=SHARES,
        delta=st.sampled_from([0.01, 0.05, 0.1, 0.5, 0.9]),
        n_choices=st.sampled_from([0, 1, 4]),
    )
)


# By hand -------------------------------------------------------------------------------------


def test_22_of_22_show_0_9_and_21_of_21_do_not():
    """The lower limit of n of n is 0.1 ** (1 / n): 0.9 ** 22 = 0.098, and 0.9 ** 21 = 0.109."""
    assert rate(22, 22).lower == pytest.approx(0.1 ** (1 / 22))
    assert (rate(22, 22).answer, rate(21, 21).answer) == ("yes", "cannot tell")
    assert rate(21, 21).patients_needed == 22
    assert rate(5, 21).patients_needed == 22
    assert rate(5, 21).rate_needed is None


def test_none_of_22_refutes_0_1():
    """The upper limit of 0 of n is 1 - 0.1 ** (1 / n)."""
    assert rate(0, 22, asked=0.1).upper == pytest.approx(1 - 0.1 ** (1 / 22))
    assert (rate(0, 22, asked=0.1).answer, rate(0, 21, asked=0.1).answer) == ("no", "cannot tell")


def test_the_rate_that_22_patients_show_in_four_studies_of_five():
    """All 22 must be right: rate ** 22 = 0.8."""
    found = rate(10, 22)
    assert found.rate_needed == pytest.approx(0.8 ** (1 / 22))
    assert (found.answer, found.patients_needed) == ("no", None)


def test_patients_who_chose_get_the_band_over_all_cuts():
    found = rate(45, 50, asked=0.7, n_choices=2)
    width = math.sqrt(math.log(2 / 0.1) / 100)
    assert found.limits == pytest.approx((0.9 - width, 1.0))
    assert found.answer == "yes"


def test_two_rates_share_delta():
    counts = Confusion(tp=36, fn=4, fp=10, tn=50)
    both = certified_rates(counts.counts, parse_rates("specificity:0.8,sensitivity:0.9"), 0.1)
    assert [one.rate for one in both] == ["specificity", "sensitivity"]
    assert both == (
        CertifiedRate(rate="specificity", asked=0.8, right=50, n_patients=60, delta=0.05),
        CertifiedRate(rate="sensitivity", asked=0.9, right=36, n_patients=40, delta=0.05),
    )
    assert certified_rates(counts, {}, 0.1) == ()
    (chose,) = certified_rates(counts.counts, {"sensitivity": 0.9}, 0.1, n_choices=3)
    assert (chose.delta, chose.n_choices) == (0.1, 3)


def test_a_class_without_patients_shows_nothing():
    for n_choices in (0, 1):
        found = rate(0, 0, n_choices=n_choices)
        assert (found.observed, found.limits) == (None, (0.0, 1.0))
        assert (found.answer, found.rate_needed) == ("cannot tell", None)
        assert found.patients_needed in {22, 116}


def test_a_rate_that_is_just_above_needs_more_than_the_search_allows():
    assert rate(9001, 10_000).patients_needed is None
    assert rate(9001, 10_000).rate_needed is None


def test_a_limit_that_equals_what_is_asked_for_shows_it():
    """With one patient the lower limit is delta itself."""
    assert rate(1, 1, asked=0.5, delta=0.5).answer == "yes"
    assert rate(0, 1, asked=0.5, delta=0.5).answer == "cannot tell"
    one = rate(0, 1, asked=0.1, delta=0.1)
    assert (one.answer, one.patients_needed, one.rate_needed) == ("cannot tell", None, 0.8)
    assert rate(0, 1, asked=0.11, delta=0.1).rate_needed is None


def test_what_is_shown_needs_no_patients_and_one_may_be_enough():
    assert (rate(60, 60).answer, rate(60, 60).patients_needed) == ("yes", None)
    assert rate(0, 0, asked=0.05).patients_needed == 1


def test_the_search_for_patients_ends_at_its_limit(monkeypatch):
    for most, needed in ((22, 22), (21, None)):
        monkeypatch.setattr(asked_rates, "MOST_PATIENTS", most)
        assert rate(21, 21).patients_needed == needed


def test_counts_that_may_be_too_low_refute_nothing():
    """0 of 22 refute 0.1; if more of them may be right, nothing is known from above."""
    plain, rounded = rate(0, 22, asked=0.1), replace(rate(0, 22, asked=0.1), rounded=True)
    assert rounded.limits == (plain.lower, 1.0)
    assert (plain.answer, rounded.answer) == ("no", "cannot tell")


def test_a_rate_that_is_observed_as_asked_for_must_be_higher():
    """27 of 30 are 0.9. More patients at this rate would not show that it is at least 0.9."""
    found = rate(27, 30)
    assert (found.answer, found.patients_needed) == ("cannot tell", None)
    fewest = next(k for k in range(31) if binom.sf(k - 1, 30, 0.9) <= 0.1)
    assert binom.sf(fewest - 1, 30, found.rate_needed) == pytest.approx(0.8)


# Properties ----------------------------------------------------------------------------------


@given(RATES)
def test_one_more_right_decision_never_makes_it_worse(one):
    more = rate(one.right + 1, one.n_patients + 1, one.asked, one.delta, one.n_choices)
    if one.n_patients > one.right:
        same_n = rate(one.right + 1, one.n_patients, one.asked, one.delta, one.n_choices)
        assert same_n.lower >= one.lower
        assert same_n.upper >= one.upper
        assert ORDER.index(same_n.answer) >= ORDER.index(one.answer)
    assert more.lower >= one.lower


@given(RATES, SHARES)
def test_asking_for_more_is_never_easier(one, other):
    low, high = sorted((one.asked, other))
    answers = [rate(one.right, one.n_patients, asked, one.delta, one.n_choices).answer
               for asked in (low, high)]  # fmt: skip
    assert ORDER.index(answers[0]) >= ORDER.index(answers[1])


@given(RATES)
def test_patients_who_chose_never_show_more_than_others(one):
    alone = rate(one.right, one.n_patients, one.asked, one.delta)
    if one.delta <= 0.1:
        assert alone.lower >= one.lower - 1e-12
        assert alone.upper <= one.upper + 1e-12


@settings(max_examples=50)
@given(RATES)
def test_as_many_as_are_needed_show_it_in_four_studies_of_five(one):
    needed = one.patients_needed
    if needed is None:
        return
    assert one.n_patients < needed <= MOST_PATIENTS
    share = one.observed if one.observed is not None and one.observed > one.asked else 1.0
    right = next(
        k for k in range(needed + 1)
        if rate(k, needed, one.asked, one.delta, one.n_choices).answer == "yes"
    )  # fmt: skip
    assert binom.sf(right - 1, needed, share) >= 0.8 - 1e-9


@given(RATES)
def test_the_rate_that_is_needed_is_above_what_is_asked_for(one):
    found = one.rate_needed
    if found is not None:
        assert one.observed is None or one.observed <= one.asked
        if one.delta <= 0.5:
            assert one.asked < found < 1


# What is asked for ---------------------------------------------------------------------------


def test_spaces_around_a_rate_do_not_matter():
    assert parse_rates(" sensitivity:0.9 , specificity:.8") == {
        "sensitivity": 0.9,
        "specificity": 0.8,
    }
    assert parse_rates(None) == {}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "certify must name sensitivity or specificity"),
        ("ppv:0.9", "got 'ppv:0.9'"),
        ("Sensitivity:0.9", "certify must name sensitivity or specificity"),
        ("sensitivity:0", "the sensitivity of certify must lie strictly between 0 and 1; got 0.0."),
        ("specificity:nan", "the specificity of certify must lie strictly between 0 and 1"),
        ("sensitivity:0.9,sensitivity:0.9", "certify asks for sensitivity twice; ask once."),
        (["sensitivity:0.9"], "certify must be a text such as"),
        (["sensitivity:0.9"], "got ['sensitivity:0.9']"),
        (
            "sensitivity:high",
            "the sensitivity of certify must lie strictly between 0 and 1; got 'high'.",
        ),
        ("sensitivity:0.9:0.8", "got '0.9:0.8'"),
    ],
)
def test_what_nobody_can_mean_is_refused(text, told):
    with pytest.raises(BadOption) as caught:
        parse_rates(text)
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)
