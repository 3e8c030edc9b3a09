"""Optional packages that are missing."""

import pytest

from steadycut.errors import MissingPackage
from steadycut.io.packages import optional_package


def test_a_missing_package_is_told_in_one_line():
    with (
        pytest.raises(MissingPackage, match=r"^Reading .h5ad requires x1\. Install it with pip"),
        optional_package("Reading .h5ad", "x1", "anndata"),
    ):
        import x1  # noqa: F401


def test_a_fault_in_our_own_modules_is_not_a_missing_package():
    with pytest.raises(ImportError) as caught, optional_package("A report", "jinja2", "report"):
        from steadycut.show import no_such_name  # noqa: F401
    assert not isinstance(caught.value, MissingPackage)
