"""Labels as texts: what is a class, and what is none."""

import pytest

from steadycut.core.labels import code_labels
from steadycut.errors import BadTable


@pytest.mark.parametrize("mark", ["NA", "nan", "N/A", "<NA>", "NULL", " na "])
@pytest.mark.parametrize("positive", [None, "1"])
def test_a_mark_for_a_missing_label_is_no_class(mark, positive):
    with pytest.raises(BadTable, match="stands for a missing label"):
        code_labels(["1", mark], "status", positive)
