"""Figures: ``steadycut.displays`` is short for ``steadycut.show.figures``."""

from steadycut.show.figures import *  # noqa: F403
