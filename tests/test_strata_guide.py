"""The example of the guide runs and prints what it says."""

import doctest
from pathlib import Path

GUIDE = Path(__file__).resolve().parent.parent / "docs" / "guide" / "strata.md"


def test_the_example_of_the_guide_is_true():
    found = doctest.testfile(str(GUIDE), module_relative=False)
    assert found.attempted > 8
    assert found.failed == 0
