"""The options of the commands that use a frozen rule: apply, audit and monitor."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from steadycut.cli.option_groups import option, switch
from steadycut.cli.options import PatientKey, Site, parse_sites, read_key
from steadycut.documents.signature import verify


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleOptions:
    """Frozen rule."""

    rule: Annotated[
        Path, typer.Argument(metavar="RULE", help="The rule.json, strata.json or covariate.json.")
    ]
    verify: Annotated[
        Path | None,
        option("PUBLIC_KEY", "Use the rule only if RULE.sig says that this key signed it."),
    ] = None
    key: PatientKey = None
    force: Annotated[
        bool, switch("--force", "Go on where the rule refuses these patients, and record it.")
    ] = False

    def secret(self) -> bytes | None:
        """Return the secret by which patients are remembered; check first who signed the rule."""
        if self.verify is not None:
            verify(self.rule, self.verify)
        return read_key(self.key)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExternalOptions:
    """Patients to judge the rule on."""

    label: Annotated[
        str | None, option("COL", "Column of labels. [default: work without labels]")
    ] = None
    site: Site = None
    external: Annotated[str | None, option("NAME[,NAME]", "Sites to judge on. [default: all]")] = (
        None
    )

    def names(self) -> list[str] | None:
        """Return the sites to judge on; None for all."""
        return parse_sites(self.site, self.external, "--external")
