"""Writing files, and other help that every part of steadycut uses.

==============  ==================================================================
``files``       files that appear whole or not at all, and work folders
``checkpoint``  results of finished steps, so an interrupted run can go on
``progress``    how far a long run is, on a terminal or in a log
``log``         the log of runs, one line each
``safe_csv``    CSV files that a spreadsheet never takes for formulas
``packages``    which optional package a feature needs, and how to install it
==============  ==================================================================
"""
