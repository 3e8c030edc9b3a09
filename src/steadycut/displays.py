"""Figures: ``steadycut.displays`` is short for ``steadycut.show.figures``."""

from steadycut.show.figures import *  # noqa: F403
from steadycut.show.figures import __all__ as __all__  # noqa: PLC0414
