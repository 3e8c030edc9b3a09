"""Errors of the library, in the words of the command line."""

import re

from steadycut.errors import BadOption, SteadycutError

# Arguments of Python and the options that stand for them.
OPTIONS = {
    "n_bootstrap": "--bootstrap",
    "n_thresholds": "--thresholds",
    "cost_fn": "--cost-fn",
    "cost_fp": "--cost-fp",
    "target_prevalence": "--target-prevalence",
    "certify_size": "--certify-size",
    "small_cells": "--small-cells",
}
# Arguments that are also plain words: options only where a text begins with them.
WORDS = (
    *(
        "bound",
        "confidence",
        "delta",
        "direction",
        "engine",
        "format",
        "grid",
        "honesty",
        "icc",
        "instances",
        "kind",
        "memory",
        "missing",
    ),
    *(
        "costs",
        "patients",
        "prevalence",
        "risk",
        "rule",
        "seed",
        "strata",
        "stratify",
        "unseen",
        "width",
    ),
)

ARGUMENT = re.compile(rf"(?<![\w'\"/-])({'|'.join(OPTIONS)})(?![\w'\"/])")
FIRST_WORD = re.compile(rf"^({'|'.join(WORDS)})(?= must\b)")
# An argument of Python with its option behind it.
IN_PYTHON = re.compile(r"\w+=\S* \((--[^)]+)\)")


def as_options(error: SteadycutError) -> str:
    """Return the text of an error, with options in the place of Python's arguments.

    Examples
    --------
    >>> as_options(BadOption("n_bootstrap must be a whole number of at least 2; got 1."))
    '--bootstrap must be a whole number of at least 2; got 1.'
    >>> as_options(SteadycutError("the table has no column 'cost_fn'."))
    "the table has no column 'cost_fn'."
    """
    text = IN_PYTHON.sub(r"\1", str(error))
    if not isinstance(error, BadOption):
        return text
    return FIRST_WORD.sub(r"--\1", ARGUMENT.sub(lambda found: OPTIONS[found[1]], text))
