"""``steadycut reproduce mimic-ecg``: MIMIC-IV-ECG records -> the paper's tables."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from steadycut.cli import options as opt
from steadycut.cli import score_ecg as ecg_opt
from steadycut.core.checks import check_count, check_fraction
from steadycut.io.progress import progress_on_stderr
from steadycut.pipelines.ecg import EcgOptions, read_segments
from steadycut.pipelines.ecg.records import import_wfdb
from steadycut.pipelines.skipped import SkippedFile, refuse_if_nothing
from steadycut.reproduce.claims import SCHEMA
from steadycut.reproduce.commands import shared
from steadycut.reproduce.mimic_ecg import FINDING, find_mimic, mimic_table, read_labels
from steadycut.reproduce.pages import tables_page

Data = Annotated[Path, typer.Option(metavar="DIR", help="Folder of MIMIC-IV-ECG or its Demo.")]
Labels = Annotated[
    Path | None,
    typer.Option(metavar="CSV", help="Columns subject_id and label, 0 or 1. [default: readings]"),
]
Finding = Annotated[
    str, typer.Option(metavar="TEXT", help="Without --labels: what makes a reading positive.")
]


def mimic_ecg_command(
    data: Data,
    labels: Labels = None,
    finding: Finding = FINDING,
    train_share: ecg_opt.TrainShare = 0.4,
    segments: ecg_opt.SegmentKind = "windows",
    window: ecg_opt.Window = 5.0,
    step: ecg_opt.Step = 2.5,
    jobs: ecg_opt.Jobs = 1,
    delta: opt.Delta = 0.1,
    bootstrap: opt.Bootstrap = 200,
    grid: opt.Grid = "200",
    replicates: shared.Replicates = 20,
    seed: opt.Seed = 0,
    out: shared.ReproduceOut = shared.FOLDER,
    force: shared.Force = False,
    as_json: opt.AsJson = False,
) -> None:
    """Rebuild the tables of MIMIC-IV-ECG, from records.

    The paper does not say which label it used, and the Demo has none: give --labels, or put
    machine_measurements.csv beside the records. Exit code 3: some files were skipped.
    """
    shared.check_run(out, "mimic-ecg", replicates, seed, force=force)
    import_wfdb()
    cut = EcgOptions(segments=segments, window=window, step=step)
    check_fraction("--train-share", train_share)
    options = shared.study_settings(bootstrap, delta, grid)
    records, problems = find_mimic(data)
    known = read_labels(data, labels, finding)
    paths = list(records)
    with progress_on_stderr() as progress:
        found, unreadable = read_segments(paths, cut, check_count("--jobs", jobs), progress)
        refuse_if_nothing(found.record.size, unreadable, "records")
        whose = [patient if patient in known else None for patient in records.values()]
        table = mimic_table(
            found, whose, known, train_share, replicates, {**options, "seed": seed}, progress
        )
    problems = [*problems, *unreadable, *_unlabelled(data, records, known)]
    content = {
        "schema": SCHEMA,
        "target": "mimic-ecg",
        "options": asdict(cut),
        "label": "given" if labels is not None else f"any reading says {finding!r}",
        "records": int(np.unique(found.record).size),
        "segments": int(found.record.size),
        "train_share": train_share,
        "tables": {"MIMIC-IV-ECG": table},
        "skipped": [asdict(one) for one in problems],
    }
    page = tables_page(content)
    shared.finish(out, "mimic-ecg", content, page, as_json=as_json, skipped=problems)


def _unlabelled(data: Path, records: dict[Path, str], known: dict[str, int]) -> list[SkippedFile]:
    """Say how many patients have no label; not who."""
    lost = set(records.values()) - set(known)
    reason = f"{len(lost)} of {len(set(records.values()))} patients have no label."
    return [SkippedFile(file=str(data), reason=reason)] if lost else []
