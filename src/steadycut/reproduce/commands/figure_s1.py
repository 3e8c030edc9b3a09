"""``steadycut reproduce figure-s1``."""

from steadycut.reproduce.commands.figure import figure_command
from steadycut.reproduce.figure_s1 import FIGURE_S1

figure_s1_command = figure_command(FIGURE_S1)
