"""The command line. Each command is one function in the file of its name.

A new command is one file, with its line here and its entry in `COMMANDS`.

==================  ==================================================================
``main``            the ``steadycut`` command, and exit codes
``commands``        how functions become commands: groups of options, help in panels
``options``         the options that several commands share, in groups
``rule_options``    the options of commands that use a frozen rule
``reading``         the tables that a command was given, and how to read them
``tables``          reading tables for a frozen rule, and what to say about the rows
``output``          files, and text or one JSON object on stdout
``results``         how commands end: a page, or the summary of scored files
``typed``           what was typed, for the commands that a next step names
``fit``             choose, freeze and certify one cut-off
``strata``          choose ordered risk strata
``covariate``       choose cut-offs that depend on a group or a number
``compare``         choose by every rule at some sites, and judge at others
``apply``           decide for every patient of a table
``audit``           judge a frozen rule at another hospital
``adapt``           find the cut-off for the next hospital, and certify it
``monitor``         watch a frozen rule in use
``plan``            how many patients a certificate needs
``look``            what a table seems to hold
``rules``           list the rules that choose a cut-off
``report``          write the page of a result again
``sign``            keys and signatures of frozen files
``score``           score raw files: slides, ECGs
``app``             fit and audit in a page on this machine
``demo``            run everything on three simulated hospitals
==================  ==================================================================
"""

from steadycut._kinds import KINDS, commands

# Every command by its name: its module, and its line in the help, which imports no command.
COMMANDS = {
    "demo": ("cli.demo", "Run everything on three simulated hospitals."),
    **commands(KINDS[0]),
    "look": ("cli.look", "Look at a table, and see the command to type."),
    "apply": ("cli.apply", "Decide for every patient of a table."),
    "audit": ("cli.audit", "Judge a frozen rule at another hospital."),
    "adapt": ("cli.adapt", "Find and certify a cut-off for the next hospital (experimental)."),
    "report": ("cli.report", "Write the page of a result again."),
    **commands(*KINDS[1:]),
    "compare": ("cli.compare", "Choose by every rule at some sites, and judge at others."),
    "plan": ("cli.plan", "Say how many patients a certificate needs."),
    "monitor": ("cli.monitor", "Watch a frozen rule in use (experimental)."),
    "switch": (
        "cli.monitor",
        "See what a new scorer or scanner does to the decisions (experimental).",
    ),
    "score-slides": (
        "cli.score.slides",
        "Score the tissue tiles of whole-slide images (experimental).",
    ),
    "score-ecg": ("cli.score.ecg", "Score segments of 12-lead ECGs (experimental)."),
    "app": (
        "cli.app",
        "Choose, audit, use and watch a cut-off in a page on this machine (experimental).",
    ),
    "keygen": ("cli.sign", "Make a pair of keys for signing."),
    "sign": ("cli.sign", "Sign a frozen file with your key."),
    "verify": ("cli.sign", "Check who signed a frozen file, or whether a chain of versions holds."),
    "rules": ("cli.rules", "List the rules that choose a cut-off."),
}
