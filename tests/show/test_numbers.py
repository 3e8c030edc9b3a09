import pytest

from steadycut.show import numbers


@pytest.mark.parametrize(
    "write",
    [numbers.cut, numbers.risk, numbers.change, numbers.percent, numbers.exact],
    ids=lambda f: f.__name__,
)
def test_none_is_not_known(write):
    assert write(None) == "not known"


def test_a_risk_and_its_share_round_alike():
    assert (numbers.risk(0.1125), numbers.percent(0.1125)) == ("0.113", "11.3 %")


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.0, "0 of 100"), (0.001, "1 of 100"), (0.29, "29 of 100"), (0.2901, "30 of 100")],
)
def test_an_upper_limit_is_rounded_up(share, text):
    assert numbers.of_hundred(share) == text


def test_a_risk_without_error_stands_alone():
    assert numbers.spread(0.5, None) == "0.500"
    assert numbers.spread(None, None) == "not known"
