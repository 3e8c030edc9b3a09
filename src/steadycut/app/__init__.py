"""The local page: choose a file, map its columns, fit, read the report, audit. Nothing leaves.

Files in the order in which a request travels:

===============  ==================================================================
``serve``        a socket, a token, a private folder, and a server between them
``guard``        who may ask: this machine, this page, this token; headers of answers
``routes``       what is asked -> what is done -> which page is shown
``uploads``      files from the browser -> files in a private folder
``preview``      the columns of a table, without anything that may identify a patient
``guess``        columns -> what each is probably for
``fields``       the options of a command -> the fields of a form, and back
``jobs``         uploads and the command that runs on them, in a process of its own
``pages``        templates -> HTML
===============  ==================================================================
"""
