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

from steadycut._kinds import file_names
from steadycut.cli import options as opt
from steadycut.cli.options import argument, option, switch
from steadycut.cli.output import refuse
from steadycut.core.records import PatientScores
from steadycut.documents.canonical_json import read_frozen
from steadycut.documents.change_plan import Sealed, sealed_of
from steadycut.documents.frozen import FrozenFile, column_names
from steadycut.documents.kinds import load_frozen
from steadycut.documents.known_patients import check_fits
from steadycut.documents.signature import load_verified, read_verified
from steadycut.errors import argument as marked
from steadycut.io.log import this_run

# The exit codes with --strict.
WARNED, BAD, ALARM = 4, 5, 6


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleOptions:
    """Frozen rule."""

    rule: Path = argument("RULE", f"The {file_names()}.")
    verify: Path | None = option(
        "PUBLIC_KEY", "Use the rule only if RULE.sig says that this key signed it."
    )
    key: opt.PatientKey = None
    unseen: str = option(
        "refuse|pooled",
        "Patients of a group that a covariate.json has not seen: refuse, or pooled cut-off.",
        default="refuse",
    )
    force: bool = switch("--force", "Continue if the rule refuses these patients, and record it.")

    strict: bool = switch(
        "--strict",
        f"End with exit code {WARNED} if a check warns or a score is outside the known range, "
        f"{BAD} if an audit refuses or cannot judge the rule, {ALARM} if monitor raises an alarm.",
    )

    def load(self) -> tuple[FrozenFile[Any], bytes | None]:
        """Return the rule and the secret by which it remembers patients; check who signed it."""
        signer = self.verify
        frozen = load_frozen(self.rule) if signer is None else load_verified(self.rule, signer)
        key = opt.read_key(self.key)
        frozen.check_unseen(self.unseen)
        check_fits(frozen.expected.remembered, key)
        this_run().rule_sha256 = frozen.document.sha256
        return frozen, key

    def read_sealed(self, kind: type[Sealed], path: Path) -> Sealed:
        """Return a plan; with --verify its signature is checked too."""
        signer = self.verify
        written = read_frozen(path) if signer is None else read_verified(path, signer)
        return sealed_of(kind, written, str(path))

    def end(self, *, warned: bool, worse: int = 0) -> None:
        """With --strict, end with the exit code of what was found; ``worse`` is BAD or ALARM."""
        code = worse or (WARNED if warned else 0)
        if self.strict and code:
            raise typer.Exit(code)


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleColumns:
    """Columns of the table, where they are not called as in the rule."""

    patient: str | None = option(
        "COL", "Column that identifies patients. [default: as in the rule]"
    )
    score: str | None = option("COL", "Column of instance scores. [default: as in the rule]")
    columns: list[str] | None = option(
        "NAME=COL", "Any other column: its name in the rule, and in the table.", "--column"
    )

    def given(self) -> list[str]:
        """Return the columns of the table that are named here."""
        named = [self.patient, self.score, *column_names(self.columns or ()).values()]
        return [name for name in named if name is not None]

    def names(self) -> dict[str, Any]:
        """Return these names as `FrozenFile.request` takes them."""
        return {"patient": self.patient, "score": self.score, "columns": self.columns or ()}


@dataclass(frozen=True, slots=True, kw_only=True)
class ExternalOptions:
    """Patients to judge the rule on."""

    label: str | None = option(
        "COL", "Column of labels. [default: that of the rule, if the table has it]"
    )
    positive: str | None = option("VALUE", "The label of ill patients. [default: as in the rule]")
    label_how: str | None = option(
        "same|any", "Whether one row of an ill patient decides. [default: as in the rule]"
    )
    no_label: bool = switch("--no-label", "Work without labels, although the table has them.")
    site: str | None = option(
        "COL", "Column of sites. [default for audit: that of the rule, if the table has it]"
    )
    no_site: bool = switch("--no-site", "Do not read the column of sites that the rule names.")
    external: str | None = option(
        "NAME[,NAME]|others",
        "Sites to judge on; others: all that the rule was not made on. [default: all]",
    )

    @property
    def others(self) -> bool:
        """Whether to judge on all sites that the rule was not made on."""
        return self.external == opt.OTHERS

    @property
    def names_sites(self) -> bool:
        """Whether somebody named a column of sites, or sites; their names may then be shown."""
        return self.site is not None or (self.external is not None and not self.others)

    def names(self, site: str | None) -> list[str] | None:
        """Return the sites to judge on, in this column; None for all, or for all others."""
        return None if self.others else opt.parse_sites(site, self.external, "external")

    def label_of(self, rule: FrozenFile[Any]) -> str | None:
        """Return the column of labels; that of the rule need not be in the table."""
        if self.no_label and self.label is not None:
            refuse("--no-label and --label exclude each other; give one of them.")
        return None if self.no_label else self.label or rule.recipe.label

    def site_of(self, rule: FrozenFile[Any], *, own: bool) -> str | None:
        """Return the column of sites; without a name that of the rule, if ``own`` or needed."""
        if self.no_site and (self.site is not None or self.external is not None):
            both = f"{marked('site')} and {marked('external')}"
            refuse(f"{marked('no_site')} excludes {both}; leave it out.")
        wanted = not self.no_site and (own or self.external is not None)
        return self.site or (rule.recipe.site if wanted else None)

    def named_grades(
        self, rule: FrozenFile[Any], patients: PatientScores
    ) -> NDArray[np.str_] | None:
        """Return the names of grades in the label column; None where labels say yes or no."""
        return patients.attributes.get(self.label_of(rule) or "")
