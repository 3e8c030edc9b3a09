"""``steadycut reproduce figure-1``."""

from steadycut.reproduce.commands.figure import figure_command
from steadycut.reproduce.figure_1 import FIGURE_1

figure_1_command = figure_command(FIGURE_1)
