"""``steadycut apply``: a frozen rule and a table -> a decision for every patient."""

import io
import json
import os
import stat
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from glob import glob
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from steadycut.cli import options as opt
from steadycut.cli.covariate import covariate_apply_text
from steadycut.cli.output import check_folder, note, show
from steadycut.cli.reading import Reading, reading_of
from steadycut.cli.tables import note_dropped, read_for_rule, row_counts
from steadycut.core.checks import check_choice
from steadycut.documents.canonical_json import read_frozen
from steadycut.documents.covariate import SCHEMA as COVARIATE_SCHEMA
from steadycut.documents.covariate import UNSEEN, CovariateRule
from steadycut.documents.guards import check_deployment, forced_names, pass_or_refuse, texts_of
from steadycut.documents.known_patients import check_fits
from steadycut.documents.rule import SCHEMA, FrozenRule
from steadycut.documents.strata import SCHEMA as STRATA_SCHEMA
from steadycut.documents.strata import StrataRule
from steadycut.errors import BadOption
from steadycut.ingest import PatientTable
from steadycut.io.files import write_atomically
from steadycut.io.packages import optional_package
from steadycut.io.safe_csv import csv_bytes
from steadycut.show.terminal import apply_text
from steadycut.show.terminal_strata import apply_strata_text

RulePath = Annotated[Path, typer.Argument(metavar="RULE", help="The rule.json of a study.")]
OutFile = Annotated[
    Path, typer.Option("--out", metavar="FILE", help="CSV or Parquet file to write.")
]
Unseen = Annotated[
    str,
    typer.Option(
        metavar="refuse|pooled",
        help="Patients of a group that a covariate.json has not seen: refuse, or pooled cut-off.",
    ),
]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Applied:
    """What a frozen file says of the patients of a table.

    ``columns`` are written to the file, one entry a patient; ``content`` is what ``--json`` shows,
    before the rows and the warnings.
    """

    columns: dict[str, Any]
    content: dict[str, Any]
    text: str
    table: PatientTable
    warnings: list[str]
    forced: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What to do with rows without a score, and with patients that the rule refuses."""

    missing: str
    force: bool
    key: bytes | None


# A frozen file, tables, and how they are to be taken.
Apply = Callable[[Path, Reading, Asked], Applied]


def apply_command(
    rule: RulePath,
    tables: opt.Tables,
    out: OutFile,
    missing: opt.Missing = "refuse",
    engine: opt.EngineName = "auto",
    memory: opt.Memory = None,
    resume: opt.Resume = False,
    force: opt.Force = False,
    patient_key: opt.PatientKey = None,
    unseen: Unseen = "refuse",
    verify: opt.Verify = None,
    as_json: opt.AsJson = False,
) -> None:
    """Decide for every patient of a table.

    Writes the columns patient, score, decision (0/1) and flip_probability. A strata.json gives the
    name of the stratum instead of the decision. With --force a further column says which checks
    refused these patients, if any did.
    """
    write = writer_for(out)
    check_not_an_input(out, [rule, *tables])
    check_signed(rule, verify)
    asked = Asked(missing=missing, force=force, key=opt.read_key(patient_key))
    reading = reading_of(tables, engine=engine, memory=memory, resume=resume, out=out.parent)
    applied = with_unseen(apply_for(rule), unseen)(rule, reading, asked)
    write_atomically(out, write(with_forced(applied)))
    reading.remove_checkpoint()
    note_dropped(applied.table)
    for warning in applied.warnings:
        note(f"warning: {warning}")
    content = {
        **applied.content,
        **row_counts(applied.table),
        "warnings": applied.warnings,
        "forced": applied.forced,
    }
    show(content, f"{applied.text}\nWrote {out}", as_json=as_json)


def with_forced(applied: Applied) -> dict[str, Any]:
    """Return the columns; what was forced stands in every row, so that no copy loses it."""
    if not applied.forced:
        return applied.columns
    said = "; ".join(applied.forced)
    return {**applied.columns, "forced": [said] * len(applied.columns["score"])}


def apply_rule(rule: Path, reading: Reading, asked: Asked) -> Applied:
    """Apply one cut-off, the rule.json of a fit."""
    frozen = FrozenRule.load(rule)
    check_fits(frozen.expected.remembered, asked.key)
    table, lacking = read_for_rule(
        frozen.recipes, reading, missing=asked.missing, force=asked.force
    )
    several = list(table.patients.values())
    patients = frozen.patients_of(several)
    found = lacking + check_deployment(frozen, patients, several, key=asked.key)
    pass_or_refuse(found, force=asked.force)
    decisions = frozen.decisions(patients)
    content = {
        "threshold": frozen.threshold,
        "n_patients": patients.n_patients,
        "called": int(decisions["decision"].sum()),
        "call_rate": float(decisions["decision"].mean()),
        "flip_rate": float(decisions["flip_probability"].mean()),
    }
    return Applied(
        columns=decisions,
        content=content,
        text=apply_text(content),
        table=table,
        warnings=texts_of(found),
        forced=forced_names(found),
    )


def apply_covariate(rule: Path, reading: Reading, asked: Asked, unseen: str = "refuse") -> Applied:
    """Apply cut-offs by covariate, a covariate.json."""
    frozen = CovariateRule.load(rule)
    check_fits(frozen.expected.remembered, asked.key)
    column = frozen.document.covariate
    table, lacking = read_for_rule(
        [frozen.recipe], reading, attributes=[column], missing=asked.missing, force=asked.force
    )
    (patients,) = table.patients.values()
    covariate = patients.attributes[column]
    found = pass_or_refuse(lacking + check_deployment(frozen, patients), force=asked.force)
    decisions = frozen.decisions(patients, covariate, unseen)
    content = {
        "thresholds": {str(cut.at): cut.threshold for cut in frozen.document.cuts},
        "n_patients": patients.n_patients,
        "pooled": frozen.n_pooled(covariate),
        "called": int(decisions["decision"].sum()),
        "call_rate": float(decisions["decision"].mean()),
        "flip_rate": float(decisions["flip_probability"].mean()),
    }
    return Applied(
        columns=decisions,
        content=content,
        text=covariate_apply_text(content, column),
        table=table,
        warnings=texts_of(found) + frozen.warnings(covariate),
        forced=forced_names(found),
    )


def with_unseen(apply: Apply, unseen: str) -> Apply:
    """Return how a file is applied to patients of groups that it has not seen."""
    check_choice("unseen", unseen, UNSEEN)
    if unseen == "refuse":
        return apply
    if apply is not apply_covariate:
        msg = "--unseen pooled is for a covariate.json; leave it out for other rules."
        raise BadOption(msg)
    return partial(apply_covariate, unseen=unseen)


def apply_strata(rule: Path, reading: Reading, asked: Asked) -> Applied:
    """Put patients into ordered risk strata, a strata.json."""
    frozen = StrataRule.load(rule)
    check_fits(frozen.expected.remembered, asked.key)
    table, lacking = read_for_rule(
        [frozen.recipe], reading, missing=asked.missing, force=asked.force
    )
    (patients,) = table.patients.values()
    found = pass_or_refuse(lacking + check_deployment(frozen, patients), force=asked.force)
    columns = frozen.decisions(patients)
    members = np.bincount(frozen.stratum_of(patients.scores), minlength=len(frozen.strata))
    content = {
        "thresholds": frozen.thresholds,
        "n_patients": patients.n_patients,
        "strata": dict(zip(frozen.strata, members.tolist(), strict=True)),
        "flip_rate": float(columns["flip_probability"].mean()),
    }
    return Applied(
        columns=columns,
        content=content,
        text=apply_strata_text(content),
        table=table,
        warnings=texts_of(found),
        forced=forced_names(found),
    )


# How each kind of frozen file is applied, by its schema.
APPLY: dict[str, Apply] = {
    SCHEMA: apply_rule,
    STRATA_SCHEMA: apply_strata,
    COVARIATE_SCHEMA: apply_covariate,
}


def apply_for(rule: Path) -> Apply:
    """Return how a file is applied; of a file of no known schema `apply_rule` says what is wrong.

    Only the schema is read here: whether the file is whole is checked where it is loaded.
    """
    try:
        content = json.loads(read_frozen(rule))
    except (ValueError, RecursionError):
        return apply_rule
    schema = content.get("schema") if isinstance(content, dict) else None
    return APPLY.get(str(schema), apply_rule)


def check_signed(rule: Path, key: Path | None) -> None:
    """Refuse a rule that was not signed with a key, if one is named."""
    if key is not None:
        from steadycut.documents.signature import verify

        verify(rule, key)


def check_not_an_input(out: Path, inputs: Sequence[Path | str]) -> None:
    """Refuse to write the decisions over the rule or over a table that they are made from."""
    try:
        taken = out.exists()
    except OSError:  # a name that no file can have; writing it will say so
        taken = False
    if not taken:
        return
    read = [Path(path) for given in inputs for path in (given, *glob(str(given)))]  # noqa: PTH207
    if any(path.exists() and path.samefile(out) for path in read):
        msg = f"--out {out} is one of the files that are read; choose another name."
        raise BadOption(msg)


def writer_for(out: Path) -> Any:
    """Return the function that makes the file's bytes, by the ending of its name."""
    writers = {".csv": csv_bytes, ".parquet": to_parquet}
    if out.suffix.lower() not in writers:
        msg = f"--out must end in {' or '.join(writers)}; got {out.name!r}."
        raise BadOption(msg)
    if not os.path.isdir(out.parent):  # noqa: PTH112 (False where one may not look)
        msg = f"the folder of --out does not exist: {out.parent}. Make it first."
        raise BadOption(msg)
    check_folder(out.parent)
    check_file(out)
    return writers[out.suffix.lower()]


def check_file(out: Path) -> None:
    """Refuse a name that a folder has, or that no file can have."""
    try:
        taken = stat.S_ISDIR(out.stat().st_mode)
    except FileNotFoundError:
        taken = False
    except OSError as error:
        msg = f"cannot write {out}: {error.strerror or error}. Choose another place."
        raise BadOption(msg) from None
    if taken:
        msg = f"--out must be a file; {out} is a folder. Name a file in it."
        raise BadOption(msg)


def to_parquet(decisions: dict[str, Any]) -> bytes:
    """Return decisions as Parquet."""
    with optional_package("Writing Parquet files", "pyarrow", "frames"):
        import pyarrow as pa
        import pyarrow.parquet as pq

    columns = {name: pa.array(np.asarray(values).tolist()) for name, values in decisions.items()}
    if "decision" in columns:
        columns["decision"] = columns["decision"].cast(pa.int8())
    buffer = io.BytesIO()
    pq.write_table(pa.table(columns), buffer)
    return buffer.getvalue()
