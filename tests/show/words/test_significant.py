import pytest

from steadycut.core.rounding import significant
from steadycut.show.words.numbers import signed


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.1125, "0.113"),
        (9.996, "10.0"),
        (0.9996, "1.00"),
        (123456.7, "123457"),
        (-0.5, "-0.500"),
        (1e-17, "0"),
        (0.00001234, "1.23e-05"),
        (1e20, "1.00e+20"),
        (12, "12"),
        (float("inf"), "inf"),
    ],
)
def test_numbers_are_written_with_three_significant_digits(value, text):
    assert significant(value) == text


@pytest.mark.parametrize(("value", "text"), [(0.1, "+0.100"), (-0.1, "-0.100"), (-1e-17, "0")])
def test_a_change_has_its_sign(value, text):
    assert signed(value) == text
