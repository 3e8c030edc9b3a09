"""When a statement of the paper holds."""

import pytest

from paper.claims import Claim, share_of, spread_of


@pytest.mark.parametrize(
    ("share", "needed", "verdict"),
    [
        (1.0, 0.9, "holds"),
        (0.9, 0.9, "mixed"),
        (0.6, 0.9, "mixed"),
        (0.6, 0.5, "holds"),
        (0.5, 0.5, "does not hold"),
        (0.5, 0.9, "does not hold"),
        (0.0, 0.9, "does not hold"),
    ],
)
def test_a_share_of_replicates_decides(share, needed, verdict):
    assert Claim(paper="a", found="b", share=share, needed=needed).verdict == verdict


@pytest.mark.parametrize(("holds", "verdict"), [(True, "holds"), (False, "does not hold")])
def test_a_statement_without_replicates_says_itself(holds, verdict):
    content = Claim(paper="a", found="b", holds=holds).to_dict()
    assert content == {"paper": "a", "found": "b", "share": None, "verdict": verdict}


def test_spread_by_hand():
    assert share_of([True, False]) == 0.5
    found = spread_of([0.0, 1.0, 2.0])
    assert found["mean"] == 1
    assert found["sd"] == pytest.approx((2 / 3) ** 0.5)
    assert (found["low"], found["high"]) == pytest.approx((0.1, 1.9))
