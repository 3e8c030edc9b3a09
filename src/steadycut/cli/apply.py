"""``steadycut apply``: decide for every patient of a table by a frozen rule."""

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from steadycut.cli.options import AsJson, TableOptions, required, switch
from steadycut.cli.output import check_file, check_folder, note_warnings, refuse, show
from steadycut.cli.rule_options import RuleColumns, RuleOptions
from steadycut.cli.tables import note_dropped, row_counts, use_rule
from steadycut.cli.typed import next_commands
from steadycut.core.odd import same_score_warnings
from steadycut.documents import guards
from steadycut.documents.same_study import refuse_other_rule
from steadycut.ingest.read import alike_lines
from steadycut.io.files import refuse_reserved, write_atomically
from steadycut.io.parquet import parquet_bytes
from steadycut.io.safe_csv import csv_bytes
from steadycut.show.pages.applied import applied_text, next_step
from steadycut.show.render.terminal import paragraph
from steadycut.show.words.next_step import NO_BREAK, step_of


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionOptions:
    """Output."""

    out: Path = required("FILE", "CSV or Parquet file to write.")
    overwrite: bool = switch(
        "--overwrite", "Replace a file that holds something other than decisions of this rule."
    )
    as_json: AsJson = False


def apply_command(
    rule: RuleOptions, columns: RuleColumns, table: TableOptions, output: DecisionOptions
) -> None:
    """Decide for every patient of a table.

    Writes the columns patient, score, decision (0/1), flip_probability, threshold, outside_range (1
    if the score is outside the range that the rule knows) and rule_sha256. A strata.json gives the
    name of the stratum instead of the decision. With --force a further column says which checks
    refused these patients, if any did. Labels and sites are never read.
    """
    out, unseen = output.out, rule.unseen
    write = writer_for(out)
    use = use_rule(rule, columns, table, out.parent)
    refuse_reserved([out])
    frozen = use.frozen
    if not output.overwrite:
        refuse_other_rule(out, str(frozen.document.sha256))
    read, lacking = use.read(use.request())
    several = list(read.patients.values())
    patients = frozen.patients_of(several)
    findings = lacking + guards.check_deployment(frozen, patients, several, key=use.key)
    guards.pass_or_refuse(findings, force=rule.force)
    decisions = frozen.decisions(several, unseen)
    applied = frozen.applied(patients, decisions)
    forced = guards.forced_names(findings)
    noticed = [
        *guards.texts_of(findings),
        *frozen.check_attributes(patients, unseen),
        *same_score_warnings(patients.scored),
        *alike_lines(read),
    ]
    n_outside = int(decisions["outside_range"].sum())
    # Every row says what was forced, so a copy of any row shows it.
    every = {"forced": ["; ".join(forced)] * patients.n_patients} if forced else {}
    write_atomically(out, write({**decisions, **every}))
    use.reading.remove_checkpoint()
    note_dropped(read, noticed)
    note_warnings(noticed)
    rows = row_counts(read).to_plain()
    unlike = any(finding.name in guards.SCORES_UNLIKE for finding in findings)
    survival = frozen.recipe.horizon is not None
    step = next_step(frozen.certificate, frozen.file_name, unlike=unlike, survival=survival)
    spelling = next_commands(dict([use.named]), out.with_suffix(""), frozen, read)
    after = step_of(step).spelled(replace(spelling, space=NO_BREAK))
    content = {
        **applied.to_plain(),
        **rows,
        "warnings": noticed,
        "forced": forced,
        "outside_range": n_outside,
        "next_step": step.to_plain(),
    }
    text = paragraph([applied_text(applied), after, f"Wrote {out}"])
    show(content, text, as_json=output.as_json)
    rule.end(warned=bool(noticed or n_outside))


def writer_for(out: Path) -> Any:
    """Return the function that makes the file's bytes, by the ending of its name."""
    writers = {".csv": csv_bytes, ".parquet": to_parquet}
    if out.suffix.lower() not in writers:
        refuse(f"--out must end in {' or '.join(writers)}; got {out.name!r}.")
    if not os.path.isdir(out.parent):  # noqa: PTH112 (False where one may not look)
        refuse(f"the folder of --out does not exist: {out.parent}. Make it first.")
    check_folder(out.parent)
    check_file(out)
    return writers[out.suffix.lower()]


def to_parquet(decisions: dict[str, Any]) -> bytes:
    """Return decisions as Parquet."""
    columns = {name: np.asarray(values) for name, values in decisions.items()}
    for name in {"decision", "outside_range"} & set(columns):
        columns[name] = columns[name].astype(np.int8)
    return parquet_bytes(columns)
