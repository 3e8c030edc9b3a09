"""The figures and tables of the paper that steadycut builds on, rebuilt from their descriptions.

=========================  ===========================================================
``claims``                 what the paper says, and how often it came out
``figure``                 what the figures share
``pointwise``              the rule of figure 1: risk plus an instability map
``figure_1_simulation``    data and one replicate of figure 1
``figure_1``               its numbers and its drawing
``figure_2_simulation``    data and one replicate of figure 2
``figure_2``               its numbers and its drawing
``figure_s1_simulation``   data, models and one replicate of figure S1
``figure_s1``              its numbers and its drawing
``table``                  the main table and the cost table, for any two hospitals
``halves``                 one data set split into two hospitals, for the tables
``camelyon``               CAMELYON16 and CAMELYON17: their files and their tables
``mimic_ecg``              MIMIC-IV-ECG: its files and its tables
``pages``                  the pages in Markdown
``commands``               the commands, one module per target
=========================  ===========================================================

Run as ``python -m paper NAME`` in the repository. It is not part of the installed package, which
never imports it.
"""
