"""Tables named on the command line -> patients."""

from collections.abc import Sequence

from steadycut.cli.options import parse_names
from steadycut.cli.output import note
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


def row_counts(table: PatientTable) -> dict[str, int]:
    """Return how much of the whole table was read, and how much of it had no score."""
    return {
        "rows": table.n_rows,
        "dropped_rows": table.n_dropped,
        "dropped_patients": table.n_patients_dropped,
    }


def note_dropped(table: PatientTable) -> None:
    """Say how many rows and patients of the table had no score and were left out."""
    if not table.n_dropped:
        return
    lost = table.n_patients_dropped
    who = "patient who has" if lost == 1 else "patients who have"
    also = f", and with them {lost} {who} no other rows" if lost else ""
    note(f"{table.n_dropped} of {table.n_rows} rows had no score and were dropped{also}.")


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
