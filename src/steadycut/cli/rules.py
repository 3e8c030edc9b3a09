"""``steadycut rules``: list every rule that can choose a cut-off."""

from steadycut.cli.options import AsJson
from steadycut.cli.output import show
from steadycut.core.rules.registry import rule_table
from steadycut.show.render.terminal import columns

NOTES = """\
X is a number. A constraint that no cut-off meets is refused. Predictive values, accuracy, kappa
and the like are at the prevalence of the patients, or at --target-prevalence. In Python a
function (tp, fn, fp, tn) -> value to maximise is a rule as well. OC is R's OptimalCutpoints, cp
is cutpointr."""


def rules_command(as_json: AsJson = False) -> None:
    """List the rules that choose a cut-off.

    For each value of --rule: what it means, and its name in R.
    """
    names = ("rule", "meaning", "in_r")
    rows = [dict(zip(names, row, strict=True)) for row in rule_table()]
    table = columns([list(row.values()) for row in rows], "ttt")
    show({"rules": rows}, f"Rules\n{table}\n\n{NOTES}", as_json=as_json)
