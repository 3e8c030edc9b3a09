"""The example of the guide runs and prints what it says."""

import doctest
from pathlib import Path

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guide" / "classifier.md"


def test_the_example_of_the_guide_is_true():
    found = doctest.testfile(str(GUIDE), module_relative=False)
    assert found.attempted > 15
    assert found.failed == 0
