"""``steadycut look``: what a table seems to hold, and the command to type."""

import shlex
from pathlib import Path
from typing import Annotated, Any

from steadycut.cli.options import AsJson, argument, option
from steadycut.cli.output import show
from steadycut.core.parts import why_parts
from steadycut.errors import SteadycutError, as_flag, spelled
from steadycut.ingest import make_request, read_patients
from steadycut.ingest.guess import guess_columns
from steadycut.ingest.preview import preview
from steadycut.ingest.read import alike_lines, dropped_lines
from steadycut.show.render.terminal import columns as aligned

Tables = Annotated[list[str], argument("TABLE", "Tables, as for fit.")]
Sheet = Annotated[str | None, option("FILE", "Second table, as for fit.")]


def look_command(tables: Tables, sheet: Sheet = None, as_json: AsJson = False) -> None:
    """Look at a table, and see the command to type.

    Prints its columns, and what it seems to hold. No identifier is shown.
    """
    given = [[sheet] if sheet else [], tables]
    columns = [*{p.name: p for some in given if some for p in preview([*map(Path, some)])}.values()]
    guess = guess_columns(columns)
    places = {"patient": guess.patient, "label": guess.label, "site": guess.site}
    places |= {"score": next(iter(guess.scores), None)}
    roles = {role: columns[at].name for role, at in places.items() if at is not None}
    roles |= {"positive": guess.positive} if guess.positive else {}
    options = roles | ({"sheet": sheet} if sheet else {})
    typed = ["steadycut", "fit", *tables, *(f"--{name}={text}" for name, text in options.items())]
    lines = [*_patients(tables, sheet, roles), f"Type: {shlex.join([*typed, '--out=study'])}"]
    rows = [(part.name, part.kind, part.summary, f"{part.n_missing} empty") for part in columns]
    text = "\n".join([aligned(rows, "tttn"), "", *lines])
    show({"columns": rows, "options": options, "lines": lines}, text, as_json=as_json)


def _patients(tables: list[str], sheet: str | None, roles: dict[str, Any]) -> list[str]:
    if not {"score", "label"} <= set(roles):
        return ["No column is called like scores and labels. Name them with --score and --label."]
    try:
        table = read_patients(make_request(**{"patient": None, **roles}), tables, sheet=sheet)
    except SteadycutError as error:
        return [f"It cannot be read so: {spelled(error.message, as_flag)}"]
    (patients,) = table.patients.values()
    line = f"{table.n_rows} rows of {patients.n_patients} patients; {patients.n_positive} are ill."
    return [line, *table.joined, *dropped_lines(table), *alike_lines(table), why_parts(patients)]
