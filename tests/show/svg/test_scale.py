import numpy as np
import pytest

from steadycut.show.svg.scale import Scale, Share, nice_step, tick_labels


def scale_of(*values, **settings):
    scale = Scale()
    scale.see(list(values))
    for name, value in settings.items():
        setattr(scale, name, value)
    return scale


def test_values_get_a_margin_and_given_ends_do_not():
    assert scale_of(0, 10).limits() == (-0.5, 10.5)
    assert scale_of(0, 10, given=(0, None)).limits() == (0, 10.5)
    assert scale_of(0, 10, given=(3, -1)).limits() == (3, -1)


@pytest.mark.parametrize(("value", "ends"), [(0, (-0.05, 0.05)), (20, (19, 21)), (-20, (-21, -19))])
def test_values_that_are_all_the_same_have_room_on_either_side(value, ends):
    assert scale_of(value, value).limits() == pytest.approx(ends)


def test_what_is_not_finite_is_not_seen():
    assert scale_of(np.nan, 0, np.inf, 10).limits() == (-0.5, 10.5)
    assert scale_of(np.nan).limits() == scale_of().limits()


def test_values_and_shares_have_their_place():
    scale = scale_of(0, 10, given=(0, 10), ends=(100, 0))
    assert scale.place([0, 5, 10]).tolist() == [100, 50, 0]
    assert scale.place(Share((0, 1))).tolist() == [100, 0]
    scale.see(Share((-5, 5)))
    assert scale.limits() == (0, 10)


@pytest.mark.parametrize("least", [1e-300, 3e-7, 0.1, 0.7, 1, 9.9, 12345, 1e300])
def test_a_step_is_round_and_not_much_larger_than_asked(least):
    step = nice_step(least)
    assert least * (1 - 1e-9) <= step <= 2.5 * least
    assert float(f"{step:.1e}") == pytest.approx(step)


@pytest.mark.parametrize(
    ("low", "high"), [(0, 1), (-3, 7), (0, 1e-9), (1e9, 1e9 + 0.001), (-2e15, 3e15), (0.2, 0.21)]
)
def test_ticks_lie_inside_and_their_labels_differ(low, high):
    ticks, labels = scale_of(given=(low, high)).ticks(9)
    assert 3 <= len(ticks) <= 10
    assert low <= ticks.min() <= ticks.max() <= high
    assert len(set(labels)) == len(labels)
    read = [float(one.replace("\N{MINUS SIGN}", "-")) for one in labels]
    np.testing.assert_allclose(read, ticks, atol=1e-9 * (high - low))


def test_whole_numbers_have_whole_ticks():
    assert scale_of(given=(0, 3), whole_numbers=True).ticks(9)[1] == ["0", "1", "2", "3"]
    assert scale_of(given=(0, 20), whole_numbers=True).ticks(8)[0].tolist() == [
        0,
        2,
        4,
        6,
        8,
        *range(10, 21, 2),
    ]


def test_a_negative_tick_has_a_minus_sign():
    assert tick_labels(np.array([-0.5, 0.0]), 0.5) == ["\N{MINUS SIGN}0.5", "0.0"]
