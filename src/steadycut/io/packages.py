"""Optional packages: say which one a feature needs and how to install it."""

from collections.abc import Iterator
from contextlib import contextmanager

from steadycut.errors import MissingPackage


@contextmanager
def optional_package(feature: str, package: str, extra: str) -> Iterator[None]:
    """Import optional packages inside this block; a missing one becomes `MissingPackage`.

    Parameters
    ----------
    feature
        What needs the package, as the subject of a sentence in the singular.
    package
        Name of the package.
    extra
        Extra of steadycut that installs it.

    Examples
    --------
    >>> with optional_package("Reading a slide", "no_such_package", "pathology"):
    ...     import no_such_package
    Traceback (most recent call last):
    steadycut.errors.MissingPackage: Reading a slide requires no_such_package.
    Install it with pip install "steadycut[pathology]".
    """
    try:
        yield
    except ImportError as error:
        # An error in a module of steadycut itself is not a missing package.
        if (error.name or "").startswith("steadycut"):
            raise
        msg = f'{feature} requires {package}. Install it with pip install "steadycut[{extra}]".'
        raise MissingPackage(msg) from None
