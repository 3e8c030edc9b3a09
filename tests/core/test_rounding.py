import numpy as np
import pytest

from steadycut.core.rounding import at_least, at_most, of_hundred_at_most, share_at_most


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.0, "0 of 100"), (0.001, "1 of 100"), (0.29, "29 of 100"), (0.2901, "30 of 100")],
)
def test_an_upper_limit_is_rounded_up(share, text):
    assert of_hundred_at_most(share) == text


@pytest.mark.parametrize("scale", [1e-6, 1e-3, 1, 1e3, 1e14])
def test_a_limit_is_never_shown_on_the_wrong_side(scale):
    for value in scale * np.random.default_rng(0).uniform(-1, 1, 500):
        slack = 1e-8 * abs(value)
        assert float(at_least(value)) - slack <= value <= float(at_most(value)) + slack


def test_a_limit_that_needs_no_rounding_is_kept():
    assert (at_most(0.1 + 0.2), at_least(0.3 - 0.1)) == ("0.300", "0.200")
    assert (at_most(9.991), at_most(1.2341), at_most(0.00001231)) == ("10.0", "1.24", "1.24e-05")
    assert (share_at_most(0.58), share_at_most(0.5801)) == ("58 %", "58.1 %")
