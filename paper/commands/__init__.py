"""The commands of ``python -m paper``.

==============  ===============================================
``group``       the program and the list of targets
``shared``      options, checks and files that all targets share
``figure``      figures 1, 2 and S1
``table``       the tables for any two hospitals
``camelyon``    the tables of CAMELYON16 and CAMELYON17
``mimic_ecg``   the tables of MIMIC-IV-ECG
==============  ===============================================
"""
