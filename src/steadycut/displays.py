"""Figures: ``steadycut.displays`` is short for ``steadycut.show.figures``."""

import sys
from typing import TYPE_CHECKING

from steadycut.show import figures

if TYPE_CHECKING:

    def __getattr__(name: str) -> object: ...


sys.modules[__name__] = figures
