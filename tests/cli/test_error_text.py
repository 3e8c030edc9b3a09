"""Options in the place of arguments, and nowhere else."""

import pytest

from steadycut.cli.error_text import as_options
from steadycut.errors import BadOption, MissingColumn, MissingScores


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("cost_fn must be a finite number above 0; got -1.", "--cost-fn must be"),
        ("delta must lie strictly between 0 and 1; got 2.", "--delta must lie"),
        (
            "rule must be one of stable; got 'cost_fn'.",
            "--rule must be one of stable; got 'cost_fn'",
        ),
        ("a split needs a target_prevalence: words.", "a split needs a --target-prevalence: words"),
        ("cost_fn and cost_fp are given.", "--cost-fn and --cost-fp are"),
        ("cannot write /home/cost_fn/x: no.", "/home/cost_fn/x: no."),
        ("a site must be one of delta; got risk.", "a site must be one of delta; got risk."),
        ("patients must be a whole number.", "--patients must"),
    ],
)
def test_arguments_become_options(text, expected):
    assert expected in as_options(BadOption(text))


def test_names_of_columns_stay():
    text = "the table has no column 'x'. It has: cost_fn, delta."
    assert as_options(MissingColumn(text)) == text


def test_python_is_left_out():
    text = "leave them out with missing='drop' (--missing drop)."
    assert as_options(MissingScores(text)) == "leave them out with --missing drop."
