"""Aggregators: by hand, against brute-force twins, and every refusal."""

import math
import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from steadycut.core.aggregate.aggregators import (
    AGGREGATORS,
    Family,
    _neighbours,
    aggregator_names,
    maximum,
    minimum,
    nest,
    offsets_of,
    order_grouped,
    parse_aggregator,
    sort_segments,
)
from steadycut.documents.parts import Step
from steadycut.errors import BadOption
from steadycut.show.words.sentences import aggregation_in_words
from tests.core.aggregate.chains import aggregate_chain

# One plain function of one group for every name, written without segments.
TWINS = {
    "mean": statistics.fmean,
    "median": np.median,
    "max": max,
    "min": min,
    "quantile:0.9": lambda scores: np.quantile(scores, 0.9),
    "quantile:0": lambda scores: np.quantile(scores, 0.0),
    "quantile:1": lambda scores: np.quantile(scores, 1.0),
    "quantile:0.37": lambda scores: np.quantile(scores, 0.37),
    "top-k:3": lambda scores: statistics.fmean(sorted(scores)[-3:]),
    "fraction-above:0.5": lambda scores: sum(score > 0.5 for score in scores) / len(scores),
    "noisy-or": lambda scores: 1 - math.prod(1 - score for score in scores),
    "trimmed-mean:0.2": lambda scores: stats.trim_mean(scores, 0.2),
}
# noisy-or goes through logarithms, trim_mean sums pairwise: equal up to a few last bits.
ROUNDED = {"noisy-or", "trimmed-mean:0.2"}


def one_group(how, scores):
    result, _ = aggregate_chain(
        np.zeros(len(scores), dtype=np.int64), [], np.array(scores, dtype=float), [how]
    )
    return result[0]


def random_cohort(rng, n_rows=400, n_patients=23):
    patients = np.concatenate([np.arange(n_patients), rng.integers(0, n_patients, n_rows)])
    scores = np.round(rng.random(patients.size), rng.integers(1, 17))
    return patients, scores


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        ("mean", 0.5),
        ("median", 0.375),
        ("max", 1.0),
        ("min", 0.25),
        ("quantile:0.5", 0.375),
        ("quantile:1", 1.0),
        ("top-k:1", 1.0),
        ("top-k:2", 0.75),
        ("top-k:99", 0.5),
        ("fraction-above:0.25", 0.5),
        ("fraction-above:-1e9", 1.0),
        ("noisy-or", 1.0),
        ("trimmed-mean:0.25", 0.375),
        ("trimmed-mean:0.2", 0.5),
        ("trimmed-mean:0", 0.5),
    ],
)
def test_by_hand(how, expected):
    assert one_group(how, [0.5, 0.25, 1.0, 0.25]) == expected


def test_noisy_or_of_halves_and_of_zeros():
    assert one_group("noisy-or", [0.5, 0.5]) == pytest.approx(0.75, abs=1e-15)
    assert math.copysign(1, one_group("noisy-or", [0.0, 0.0])) == 1


def test_noisy_or_keeps_tiny_probabilities():
    assert one_group("noisy-or", [1e-300]) == pytest.approx(1e-300)


def test_every_name_has_a_twin():
    assert {how.partition(":")[0] for how in TWINS} == set(AGGREGATORS)


@pytest.mark.parametrize("name", AGGREGATORS)
def test_every_name_has_words_that_tell_its_number_if_it_has_one(name):
    family = AGGREGATORS[name]
    assert family.words.count("{inner}") == 1
    assert family.words.count("{number}") == bool(family.letter)


def test_a_new_aggregator_is_one_entry_of_the_registry(monkeypatch):
    family = Family(
        function=lambda segments: maximum(segments) - minimum(segments),
        places=lambda size: (0, size - 1),
        words="the range of {inner}",
    )
    monkeypatch.setitem(AGGREGATORS, "range", family)
    assert aggregator_names()[-1] == "range"
    assert one_group("range", [0.5, 0.25, 1.0]) == 0.75
    chain = [Step(level="slide", how="range"), Step(level="patient", how="mean")]
    told = aggregation_in_words("score", chain)
    assert told == "the mean of the range of “score” in each “slide”"


@pytest.mark.parametrize("how", TWINS)
@pytest.mark.parametrize("seed", range(5))
def test_against_brute_force(how, seed):
    patients, scores = random_cohort(np.random.default_rng(seed))
    result, n_instances = aggregate_chain(patients, [], scores, [how])
    expected = [TWINS[how](scores[patients == patient].tolist()) for patient in range(23)]
    if how in ROUNDED:
        np.testing.assert_allclose(result, expected, rtol=1e-13)
    else:
        assert result.tolist() == expected
    assert n_instances.tolist() == np.bincount(patients).tolist()


@pytest.mark.parametrize("level", np.random.default_rng(3).random(40).tolist())
def test_quantile_is_numpys_to_the_last_bit(level):
    scores = np.random.default_rng(7).normal(size=37) * 1e3
    assert one_group(f"quantile:{level!r}", scores) == np.quantile(scores, level)


def brute_chain(patients, slides, blocks, scores):
    """Blocks in slides in patients: max, then mean, then median, by nested loops."""
    result = []
    for patient in sorted(set(patients)):
        of_slides = []
        for slide in sorted({s for p, s in zip(patients, slides, strict=True) if p == patient}):
            rows = [
                (b, x)
                for p, s, b, x in zip(patients, slides, blocks, scores, strict=True)
                if (p, s) == (patient, slide)
            ]
            peaks = [max(x for b, x in rows if b == block) for block in {b for b, _ in rows}]
            of_slides.append(statistics.fmean(peaks))
        result.append(statistics.median(of_slides))
    return result


@pytest.mark.parametrize("seed", range(3))
def test_three_levels_against_nested_loops(seed):
    rng = np.random.default_rng(seed)
    patients, scores = random_cohort(rng, n_rows=300, n_patients=11)
    slides, blocks = rng.integers(0, 3, patients.size), rng.integers(0, 4, patients.size)
    result, n_instances = aggregate_chain(
        patients, [blocks, slides], scores, ["max", "mean", "median"]
    )
    lists = [column.tolist() for column in (patients, slides, blocks, scores)]
    assert result.tolist() == brute_chain(*lists)
    assert n_instances.sum() == patients.size


def test_equal_slide_codes_of_two_patients_are_two_slides():
    patients, slides = np.array([0, 0, 1]), np.array([0, 1, 0])
    assert [step.tolist() for step in nest(patients, [slides])] == [[0, 1, 2], [0, 0, 1]]


def test_instances_are_rows_and_not_slides():
    patients, slides = np.array([0, 0, 0, 1]), np.array([0, 0, 1, 0])
    scores = np.array([0.1, 0.2, 0.3, 0.4])
    _, n_instances = aggregate_chain(patients, [slides], scores, ["max", "mean"])
    assert n_instances.tolist() == [3, 1]


def test_negative_zero_becomes_zero():
    for scores in ([0.0, -0.0], [-0.0, 0.0]):
        assert math.copysign(1, one_group("max", scores)) == 1
        assert math.copysign(1, one_group("min", scores)) == 1


def test_sum_is_correctly_rounded():
    assert one_group("mean", [1e16, 1.0, -1e16, 1.0]) == 0.5


def test_a_function_gets_ascending_scores_that_it_cannot_change():
    seen = []

    def spread(scores):
        seen.append(scores.tolist())
        with pytest.raises(ValueError, match="read-only"):
            scores[0] = 9
        return scores[-1] - scores[0]

    assert one_group(spread, [0.5, 0.25, 0.75]) == 0.5
    assert seen == [[0.25, 0.5, 0.75]]
    assert parse_aggregator(spread).name == "callable:spread"


def test_a_callable_object_takes_the_name_of_its_class():
    class Largest:
        def __call__(self, scores):
            return np.array([scores[-1]])

    assert parse_aggregator(Largest()).name == "callable:Largest"
    assert one_group(Largest(), [0.5, 0.25]) == 0.5


def test_a_function_never_has_the_name_of_an_aggregator():
    for name in ("mean", "max"):
        function = getattr(np, name)
        assert parse_aggregator(function).name == f"callable:{name}"
        with pytest.raises(BadOption, match="an aggregator must be one of"):
            parse_aggregator(f"callable:{name}")


@pytest.mark.parametrize(
    ("value", "shown"), [(math.nan, "nan"), ("0.5", "a str"), ([1, 2], "a list"), (None, "a None")]
)
def test_a_function_must_return_one_finite_number(value, shown):
    def broken(scores):
        return value

    with pytest.raises(BadOption, match=f"'broken' must return one finite number.*{shown}"):
        one_group(broken, [0.5])


@pytest.mark.parametrize(
    ("how", "text"),
    [
        ("average", "an aggregator must be one of mean, median, max, .*; got 'average'"),
        ("", "an aggregator must be one of"),
        ("mean:3", "mean takes no number; got 'mean:3'. Write 'mean'."),
        ("quantile", "quantile:Q needs Q to be a number from 0 to 1; got 'quantile'"),
        ("quantile:1.1", "number from 0 to 1; got 'quantile:1.1'"),
        ("quantile:nan", "number from 0 to 1; got 'quantile:nan'"),
        ("top-k:0", "top-k:K needs K to be a whole number of at least 1; got 'top-k:0'"),
        ("top-k:2.5", "whole number of at least 1; got 'top-k:2.5'"),
        ("fraction-above:inf", "fraction-above:X needs X to be a finite number"),
        ("trimmed-mean:0.5", "trimmed-mean:X needs X to be a number from 0 up to, but not, 0.5"),
    ],
)
def test_refused_names(how, text):
    with pytest.raises(BadOption, match=text) as caught:
        parse_aggregator(how)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("scores", [[-0.1, 0.5], [0.5, 1.5]])
def test_noisy_or_refuses_what_is_no_probability(scores):
    with pytest.raises(BadOption, match="noisy-or needs scores from 0 to 1; these run from"):
        one_group("noisy-or", scores)


def test_the_list_of_names_can_be_read_back():
    numbers = {"Q": "0.5", "K": "2", "X": "0.25"}
    for name in aggregator_names():
        family, _, letter = name.partition(":")
        how = f"{family}:{numbers[letter]}" if letter else family
        assert parse_aggregator(how).name == how


def test_huge_k_takes_all():
    assert one_group(f"top-k:{10**30}", [0.5, 0.25]) == 0.375


def test_segments_tell_their_sizes():
    segments = sort_segments(np.array([1, 0, 1]), np.array([3.0, 1.0, 2.0]))
    assert segments.sizes.tolist() == [1, 2]
    assert [group.tolist() for group in segments.split()] == [[1.0], [2.0, 3.0]]


def test_values_that_stand_group_by_group_are_sorted_in_place():
    values = np.array([2.0, 1.0, -0.0, 0.0, 3.0])
    segments = order_grouped(values, offsets_of(np.array([2, 2, 1])))
    assert segments.values.tolist() == [1.0, 2.0, 0.0, 0.0, 3.0]
    assert not np.signbit(segments.values).any()


NAMED = ["mean", "median", "max", "min", "noisy-or", "fraction-above:0.5"]
NUMBERED = ["quantile:0", "quantile:0.37", "quantile:0.9", "quantile:1", "top-k:1", "top-k:70"]
TRIMMED = ["trimmed-mean:0", "trimmed-mean:0.1", "trimmed-mean:0.49"]


@given(
    st.lists(st.integers(1, 200), min_size=1, max_size=4),
    st.integers(0, 2**32 - 1),
    st.sampled_from([2, 10, 10**6]),
    st.sets(st.sampled_from([*NAMED, *NUMBERED, *TRIMMED]), min_size=1, max_size=4),
)
def test_what_is_read_stands_in_its_place(sizes, seed, n_distinct, names):
    drawn = np.random.default_rng(seed).integers(n_distinct, size=sum(sizes)) / n_distinct
    offsets = offsets_of(np.array(sizes))
    aggregators = [parse_aggregator(name) for name in sorted(names)]
    some, whole = order_grouped(drawn.copy(), offsets, aggregators), order_grouped(drawn, offsets)
    for aggregator in aggregators:
        assert aggregator(some).tobytes() == aggregator(whole).tobytes(), aggregator.name


def test_ones_own_function_sees_all_scores_in_order():
    drawn = np.random.default_rng(0).random(100)
    second = [parse_aggregator(lambda scores: scores[1])]
    segments = order_grouped(drawn.copy(), np.array([0, 100]), second)
    assert second[0](segments)[0] == np.sort(drawn)[1]


@pytest.mark.parametrize(
    ("size", "level", "places"),
    [(5, 0.5, (2, 3)), (5, 0.9, (3, 4)), (5, 1.0, (4, 4)), (5, 0.0, (0, 1)), (1, 0.3, (0, 0))],
)
def test_a_quantile_reads_the_order_statistics_around_it(size, level, places):
    assert _neighbours(size, level) == places


def test_without_rows_there_is_nothing_to_nest():
    nobody = np.zeros(0, dtype=np.int64)
    assert [step.size for step in nest(nobody, [nobody])] == [0, 0]


def test_an_order_that_nobody_reads_is_not_made():
    values = np.array([3.0, 1.0, 2.0])
    segments = order_grouped(values, np.array([0, 3]), [parse_aggregator("mean")])
    assert segments.values.tolist() == [3.0, 1.0, 2.0]


def test_halfway_between_two_scores_the_quantile_is_that_of_numpy_to_the_last_bit():
    pairs = np.random.default_rng(0).normal(size=(200, 2))
    found = [one_group("quantile:0.5", pair) for pair in pairs]
    assert found == [np.quantile(pair, 0.5) for pair in pairs]


def test_a_typing_error_gets_the_aggregator_that_was_meant():
    with pytest.raises(BadOption, match="Did you mean 'median'"):
        parse_aggregator("medain")


def test_codes_of_few_bits_do_not_run_over():
    """Patient 100 times 6 possible slides is more than a number of eight bits holds."""
    steps = nest(np.array([0, 100, 100], dtype=np.int8), [np.array([0, 5, 0], dtype=np.int8)])
    assert [step.tolist() for step in steps] == [[0, 2, 1], [0, 100, 100]]


def test_whole_scores_become_floats():
    assert sort_segments(np.array([0, 0]), np.array([3, 1])).values.dtype == np.float64
