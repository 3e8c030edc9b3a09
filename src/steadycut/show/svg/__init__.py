"""Figures as SVG without matplotlib, which takes longer to load than a whole small study.

The figures call a few methods of matplotlib's axes. `axes.Axes` has the same methods, so that one
``draw`` serves both: the axes of matplotlib in Python, and these in a page.

===========  ==================================================================
``scale``    one axis: its limits, its ticks, and where values lie
``shapes``   lines, areas, marks and texts as SVG
``axes``     the methods that figures call; they keep what is drawn
``picture``  the room for the texts around the axes, and the picture as SVG
===========  ==================================================================
"""
