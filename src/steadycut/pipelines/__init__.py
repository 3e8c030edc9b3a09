"""Pipelines that turn raw files (slides, ECG records) into tables of scores.

What all pipelines share:

===============  =================================================================
``driver``       the steps: find the files, match them with the sheet, process each
``sheet``        the CSV file that says which patient, label and site a file has
``skipped``      files that cannot be used, and why
``parallel``     a function over many items, in threads or processes
``fingerprint``  hashes of files
===============  =================================================================

Each pipeline is a folder:

===============  =================================================================
``slides``       whole-slide images -> scored tiles
``ecg``          12-lead ECG records -> scored segments
``models``       the models of both: loaded, put on a device, asked for scores
===============  =================================================================

A new pipeline needs a folder here with a `driver.FileKind` and a function that processes one file,
a command ``cli/score/NAME.py``, and its entry in ``cli/__init__.py``.
"""
