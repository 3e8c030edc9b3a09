"""The commands that score raw files, one per pipeline.

==========  ======================================================
``slides``  score the tissue tiles of whole-slide images
``ecg``     score segments of 12-lead ECGs
``models``  the options of both that say which model runs, and how
==========  ======================================================
"""
