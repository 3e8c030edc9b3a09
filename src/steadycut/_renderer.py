"""Where showing is plugged in: objects ask for it here, and the package says how to load it.

Folders import each other one way, and showing comes after everything that is shown. So what is
shown knows only this place.
"""

from collections.abc import Callable
from typing import Any

_LOADERS: list[Callable[[], object]] = []


def plug_in(load: Callable[[], object]) -> None:
    """Say how to load what shows objects; it is loaded when it is first used."""
    _LOADERS[:] = [load]


def renderer() -> Any:  # noqa: ANN401
    """Return what shows objects."""
    return _LOADERS[0]()
