"""The options of the commands that use a frozen rule: apply, audit and monitor.

They end with exit code 0 if they did their work, whatever they found. With ``--strict``, other
codes say what they found, so that a script notices it; the results are written all the same.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import typer
from numpy.typing import NDArray

from steadycut.cli.options import (
    PatientKey,
    Site,
    argument,
    number,
    option,
    parse_sites,
    read_key,
    switch,
)
from steadycut.core.records import PatientScores
from steadycut.core.verdict import MARGIN
from steadycut.documents.frozen import FrozenFile
from steadycut.documents.kinds import load_frozen
from steadycut.documents.known_patients import check_fits
from steadycut.documents.signature import verify
from steadycut.io.log import this_run

OTHERS = "others"
# The exit codes with --strict.
WARNED, BAD, ALARM = 4, 5, 6


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleOptions:
    """Frozen rule."""

    rule: Path = argument("RULE", "The rule.json, strata.json or covariate.json.")
    verify: Path | None = option(
        "PUBLIC_KEY", "Use the rule only if RULE.sig says that this key signed it.", default=None
    )
    key: PatientKey = None
    unseen: str = option(
        "refuse|pooled",
        "Patients of a group that a covariate.json has not seen: refuse, or pooled cut-off.",
        default="refuse",
    )
    force: bool = switch("--force", "Continue if the rule refuses these patients, and record it.")

    strict: bool = switch(
        "--strict",
        f"End with exit code {WARNED} if a check warns or a score is outside the known range, "
        f"{BAD} if the verdict of an audit is bad, {ALARM} if monitor raises an alarm.",
    )

    def load(self) -> tuple[FrozenFile[Any], bytes | None]:
        """Return the rule and the secret by which it remembers patients; check who signed it."""
        if self.verify is not None:
            verify(self.rule, self.verify)
        key, frozen = read_key(self.key), load_frozen(self.rule)
        frozen.check_unseen(self.unseen)
        check_fits(frozen.expected.remembered, key)
        this_run().rule_sha256 = frozen.document.sha256
        return frozen, key

    def end(self, *, warned: bool, worse: int = 0) -> None:
        """With --strict, end with the exit code of what was found; ``worse`` is BAD or ALARM."""
        code = worse or (WARNED if warned else 0)
        if self.strict and code:
            raise typer.Exit(code)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExternalOptions:
    """Patients to judge the rule on."""

    label: str | None = option(
        "COL", "Column of labels. [default: work without labels]", default=None
    )
    site: Site = None
    external: str | None = option(
        "NAME[,NAME]|others",
        "Sites to judge on; others: all that the rule was not made on. [default: all]",
        default=None,
    )

    @property
    def others(self) -> bool:
        """Whether to judge on all sites that the rule was not made on."""
        return self.external == OTHERS

    def names(self) -> list[str] | None:
        """Return the sites to judge on; None for all, or for all others."""
        return None if self.others else parse_sites(self.site, self.external, "--external")

    def named_grades(self, patients: PatientScores) -> NDArray[np.str_] | None:
        """Return the names of grades in the label column; None where labels say yes or no."""
        return None if self.label is None else patients.attributes.get(self.label)


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictOptions:
    """Verdict."""

    group: str | None = option(
        "COL", "Judge each group of this patient-level column by itself, too.", default=None
    )
    margin: float = number(
        "X", "How much higher an error rate may be and still count as before.", default=MARGIN
    )
    sequential: bool = switch(
        "--sequential", "Give limits that hold however often you look, from the first look on."
    )
