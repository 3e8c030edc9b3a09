"""``steadycut reproduce figure-2``."""

from steadycut.reproduce.commands.figure import figure_command
from steadycut.reproduce.figure_2 import FIGURE_2

figure_2_command = figure_command(FIGURE_2)
