"""Writing files, and other help that every part of steadycut uses.

==============  ======================================================================
``files``       files that appear whole or not at all, and work folders
``checkpoint``  results of finished steps, so an interrupted run can go on
``early``       Ctrl-C while modules are imported
``process``     Ctrl-C, the standard streams, and the app that may have started a command
``progress``    how far a long run is, on a terminal or in a log
``log``         the log of runs, one line each
``parquet``     DuckDB, and Parquet files that carry a note
``safe_csv``    CSV files that a spreadsheet never takes for formulas
``packages``    which optional package a feature needs, and how to install it
==============  ======================================================================
"""
