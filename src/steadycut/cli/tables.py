"""Tables named on the command line -> patients."""

from collections.abc import Sequence

from steadycut.cli.options import parse_names
from steadycut.core.records import PatientScores
from steadycut.errors import BadOption
from steadycut.ingest import PatientTable, at_sites, read_patients
from steadycut.ingest.request import make_request
from steadycut.rule_file import FrozenRule


def read_for_fit(
    tables: Sequence[str],
    *,
    patient: str,
    score: Sequence[str],
    label: str,
    positive: str | None,
    site: str | None,
    level: Sequence[str] | None,
    aggregate: Sequence[str] | None,
    missing: str,
) -> PatientTable:
    """Read every candidate: each score column with each aggregator."""
    request = make_request(
        patient=patient,
        score=list(score),
        label=label,
        positive=positive,
        site=site,
        levels=list(level or ()),
        how=list(aggregate or ("mean",)),
        missing=missing,
    )
    return read_patients(request, list(tables))


def read_for_rule(
    rule: FrozenRule,
    tables: Sequence[str],
    *,
    label: str | None = None,
    site: str | None = None,
    missing: str = "refuse",
) -> PatientTable:
    """Read patients as a frozen rule wants them."""
    recipe = rule.recipe
    request = make_request(
        patient=recipe.patient,
        score=[recipe.score],
        label=label,
        positive=recipe.positive if label else None,
        site=site,
        levels=recipe.levels,
        how=[recipe.how],
        missing=missing,
    )
    return read_patients(request, list(tables))


def candidates_at(
    table: PatientTable, site: str | None, names: str | None, option: str
) -> list[PatientScores]:
    """Return the candidates, each with the patients of the named sites only."""
    candidates = list(table.patients.values())
    if names is None:
        return candidates
    if site is None:
        msg = f"{option} {names} needs --site COL, the column that holds the sites."
        raise BadOption(msg)
    return [at_sites(one, parse_names(names)) for one in candidates]
