import pytest

from steadycut.show.words import numbers


@pytest.mark.parametrize(
    "write",
    [numbers.cut, numbers.risk, numbers.change, numbers.percent, numbers.exact],
    ids=lambda f: f.__name__,
)
def test_none_is_not_known(write):
    assert write(None) == "not known"


def test_a_risk_and_its_share_round_alike():
    assert (numbers.risk(0.1125), numbers.percent(0.1125)) == ("0.113", "11.3 %")


def test_a_risk_without_error_stands_alone():
    assert numbers.spread(0.5, None) == "0.500"
    assert numbers.spread(None, None) == "not known"
