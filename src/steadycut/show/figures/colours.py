"""Colours that the figures share."""

# Okabe and Ito's colours, which colour-blind readers can tell apart. In grey, patterns do so.
BLACK = "#000000"
BLUE = "#0072B2"
SKY = "#56B4E9"
ORANGE = "#E69F00"
GREEN = "#009E73"
VERMILLION = "#D55E00"
PURPLE = "#CC79A7"
GREY = "#999999"
