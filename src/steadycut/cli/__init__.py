"""The command line. Each command is one function in the file of its name.

==================  ==================================================================
``main``            the ``steadycut`` command: the table of commands, and exit codes
``commands``        how functions become commands: groups of options, help in panels
``options``         the options that several commands share, in groups
``rule_options``    the options of commands that use a frozen rule
``reading``         the tables that a command was given, and how to read them
``tables``          reading tables for a frozen rule, and what to say about the rows
``output``          files, and text or one JSON object on stdout
``results``         how commands end: a page, or the summary of scored files
``fit``             choose, freeze and certify one cut-off
``strata``          choose ordered risk strata
``covariate``       choose cut-offs that depend on a group or a number
``compare``         choose by every rule at some sites, and judge at others
``apply``           decide for every patient of a table
``audit``           judge a frozen rule at another hospital
``adapt``           find the cut-off for the next hospital, and certify it
``monitor``         watch a frozen rule in use
``plan``            how many patients a certificate needs
``rules``           list the rules that choose a cut-off
``report``          write the page of a result again
``sign``            keys and signatures of frozen files
``score_slides``    score the tissue tiles of whole-slide images
``score_ecg``       score segments of 12-lead ECGs
``app``             fit and audit in a page on this machine
``demo``            run everything on two simulated hospitals
==================  ==================================================================
"""
