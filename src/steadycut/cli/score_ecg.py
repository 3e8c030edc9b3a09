"""``steadycut score-ecg``: 12-lead WFDB records -> one table of scored segments."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from steadycut.cli import options as opt
from steadycut.cli.output import check_folder, to_json, write_folder
from steadycut.cli.skipped import finish_scoring
from steadycut.core.checks import check_count, check_fraction
from steadycut.io.progress import progress_on_stderr
from steadycut.pipelines.driver import InputFiles, gather_files
from steadycut.pipelines.ecg import EcgOptions, Segments, SegmentScorer, read_segments
from steadycut.pipelines.ecg.features import NAMES
from steadycut.pipelines.ecg.plot import draw_segments
from steadycut.pipelines.ecg.records import RECORDS, import_wfdb
from steadycut.pipelines.ecg.scorer import read_scorer
from steadycut.pipelines.ecg.training import labels_of_patients, train_apart
from steadycut.pipelines.parquet import write_parquet
from steadycut.pipelines.sheet import origin_columns, origin_of
from steadycut.pipelines.skipped import refuse_if_nothing

Records = Annotated[
    list[str], typer.Argument(metavar="RECORD", help="WFDB records, or folders that hold them.")
]
Sheet = Annotated[
    Path | None,
    typer.Option("--sheet", metavar="CSV", help="Columns record, patient and label, site."),
]
Scorer = Annotated[
    Path | None,
    typer.Option("--scorer", metavar="JSON", help="Score with this scorer.json; train none."),
]
TrainShare = Annotated[
    float,
    typer.Option(
        "--train-share",
        metavar="X",
        parser=opt.number,
        help="Share of the patients who train the scorer; they get no scores.",
    ),
]
SegmentKind = Annotated[
    str, typer.Option("--segments", metavar="windows|beats", help="What is scored.")
]
Window = Annotated[
    float, typer.Option(metavar="S", parser=opt.number, help="Seconds that a window lasts.")
]
Step = Annotated[
    float, typer.Option(metavar="S", parser=opt.number, help="Seconds from window to window.")
]
Jobs = Annotated[int, typer.Option("--jobs", metavar="N", parser=opt.whole_number, help="Workers.")]
Plot = Annotated[bool, typer.Option("--plot", help="Also draw every record with its segments.")]


def score_ecg_command(
    records: Records,
    out: opt.OutDirectory,
    sheet: Sheet = None,
    scorer: Scorer = None,
    train_share: TrainShare = 0.5,
    segments: SegmentKind = "windows",
    window: Window = 5.0,
    step: Step = 2.5,
    seed: opt.Seed = 0,
    jobs: Jobs = 1,
    plot: Plot = False,
    as_json: opt.AsJson = False,
) -> None:
    """Score segments of 12-lead ECGs.

    The scorer is a logistic regression. Writes segments.parquet, scorer.json, ecg.json, and with
    --plot plots/NAME.png. Patients who train the scorer are not in the table. Exit code 3: some
    records were skipped, see stderr.
    """
    check_folder(out)
    import_wfdb()
    options = EcgOptions(segments=segments, window=window, step=step)
    check_fraction("--train-share", train_share)
    check_count("--seed", seed, at_least=0)
    ready = None if scorer is None else read_scorer(scorer, NAMES)
    files = gather_files(records, RECORDS, sheet, need_labels=ready is None)
    labels = labels_of_patients(files.sheet) if ready is None else {}
    with progress_on_stderr() as progress:
        found, skipped = read_segments(files.paths, options, check_count("--jobs", jobs), progress)
    skipped = [*files.skipped, *skipped]
    refuse_if_nothing(found.record.size, skipped, "records")
    n_training = 0
    if ready is None:
        patients = [origin_of(path, files.sheet).patient for path in files.paths]
        ready, found, n_training = train_apart(found, patients, labels, train_share, seed)
    out.mkdir(parents=True, exist_ok=True)
    write_parquet(
        out / "segments.parquet",
        segment_columns(found, files, ready),
        {"options": asdict(options), "seed": seed},
    )
    write_folder(out, {"scorer.json": to_json(ready.to_dict())})
    if plot:
        unread = {one.file for one in skipped}
        read = [path for path in files.paths if str(path) not in unread]
        drawn = {f"{path.stem}.png": draw_segments(path, options) for path in read}
        write_folder(out / "plots", drawn)
    content = {
        "options": asdict(options),
        "records": int(np.unique(found.record).size),
        "segments": int(found.record.size),
        "training_patients": n_training,
    }
    rows = [
        ("records scored", str(content["records"])),
        ("segments", str(content["segments"])),
        ("patients who trained", str(n_training)),
    ]
    finish_scoring(out, "ecg", content, rows, skipped, as_json=as_json)


def segment_columns(found: Segments, files: InputFiles, scorer: SegmentScorer) -> dict[str, Any]:
    """Return the columns of segments.parquet."""
    paths = [files.paths[record] for record in found.record.tolist()]
    return {
        **origin_columns(RECORDS.name, paths, files.sheet),
        "segment": found.number,
        "start": found.start,
        "beats": found.beats,
        "score": scorer.score(found.features),
    }
