"""The commands of ``steadycut reproduce``.

==============  ===============================================
``group``       the list of targets
``shared``      options, checks and files that all targets share
``figure``      the command of any figure
``figure_1``    figure 1
``figure_2``    figure 2
``figure_s1``   figure S1
``table``       the tables for any two hospitals
``camelyon``    the tables of CAMELYON16 and CAMELYON17
``mimic_ecg``   the tables of MIMIC-IV-ECG
==============  ===============================================
"""
