"""``steadycut score-ecg``: 12-lead WFDB records -> one table of scored segments."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from steadycut.cli import options as opt
from steadycut.cli.output import check_folder, show, to_json, write_folder
from steadycut.cli.progress import progress_on_terminal
from steadycut.cli.skipped import exit_if_left_out, note_left_out
from steadycut.core.checks import check_count, check_fraction
from steadycut.errors import BadOption, BadTable
from steadycut.pipelines.ecg import EcgOptions, Segments, SegmentScorer, read_segments
from steadycut.pipelines.ecg.features import NAMES
from steadycut.pipelines.ecg.plot import draw_segments
from steadycut.pipelines.ecg.records import find_records, import_wfdb
from steadycut.pipelines.ecg.scorer import read_scorer
from steadycut.pipelines.ecg.training import deal_training, segments_of, train_on
from steadycut.pipelines.parquet import write_parquet
from steadycut.pipelines.sheet import Origin, at_two_sites, check_names, origin_of, read_sheet
from steadycut.pipelines.skipped import LeftOut, refuse_if_nothing
from steadycut.show.columns import aligned

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
    records were left out, see stderr.
    """
    check_folder(out)
    import_wfdb()
    options = EcgOptions(segments=segments, window=window, step=step)
    check_fraction("--train-share", train_share)
    check_count("--seed", seed, at_least=0)
    origins = {} if sheet is None else read_sheet(sheet, "record")
    ready = None if scorer is None else read_scorer(scorer, NAMES)
    labels = {} if ready is not None else sheet_labels(origins)
    paths = find_records(records)
    check_names(paths, "records")
    misplaced = at_two_sites(paths, origins)
    paths = [path for path in paths if str(path) not in {one.file for one in misplaced}]
    with progress_on_terminal() as progress:
        found, problems = read_segments(paths, options, check_count("--jobs", jobs), progress)
    problems = [*misplaced, *problems]
    refuse_if_nothing(found.record.size, problems, "records")
    whose = [origin_of(path, origins) for path in paths]
    n_training = 0
    if ready is None:
        problems += unlabelled(paths, whose, labels)
        patients = [one.patient for one in whose]
        ready, found, n_training = train_apart(found, patients, labels, train_share, seed)
    out.mkdir(parents=True, exist_ok=True)
    write_parquet(
        out / "segments.parquet",
        segment_columns(found, paths, whose, ready),
        {"options": options.to_dict(), "seed": seed},
    )
    content = {
        "schema": "steadycut.ecg/1",
        "options": options.to_dict(),
        "records": int(np.unique(found.record).size),
        "segments": int(found.record.size),
        "training_patients": n_training,
        "left_out": [one.to_dict() for one in problems],
    }
    files = {"scorer.json": to_json(ready.to_dict()), "ecg.json": to_json(content)}
    write_folder(out, files)
    if plot:
        lost = {one.file for one in problems}
        drawn = {
            f"{path.stem}.png": draw_segments(path, options)
            for path in paths
            if str(path) not in lost
        }
        write_folder(out / "plots", drawn)
    note_left_out(problems)
    show(content, ecg_text(content, out), as_json=as_json)
    exit_if_left_out(problems)


def sheet_labels(origins: Mapping[str, Origin]) -> dict[str, int]:
    """Return the label of each patient; refuse labels that are not 0 or 1, or contradict."""
    labels: dict[str, int] = {}
    for origin in origins.values():
        if origin.patient is None or origin.label is None:
            continue
        if origin.label not in {"0", "1"}:
            msg = f"labels in the sheet must be 0 or 1; got {origin.label!r}."
            raise BadTable(msg)
        if labels.setdefault(origin.patient, int(origin.label)) != int(origin.label):
            msg = "the sheet gives one patient two labels. A label belongs to the patient."
            raise BadTable(msg)
    if not labels:
        msg = (
            "a scorer is trained on labels: give --sheet with record, patient, label; or --scorer."
        )
        raise BadOption(msg)
    return labels


def unlabelled(
    paths: Sequence[Path], whose: Sequence[Origin], labels: Mapping[str, int]
) -> list[LeftOut]:
    """Return the records whose patient has no label."""
    return [
        LeftOut(file=str(path), reason="the sheet has no label for it.")
        for path, origin in zip(paths, whose, strict=True)
        if origin.patient not in labels
    ]


def train_apart(
    found: Segments,
    patients: Sequence[str | None],
    labels: Mapping[str, int],
    share: float,
    seed: int,
) -> tuple[SegmentScorer, Segments, int]:
    """Train on some patients; return the scorer, the segments of the others, and how many train."""
    present = {patients[record] for record in np.unique(found.record).tolist()}
    known = {name: label for name, label in labels.items() if name in present}
    training = deal_training(known, share, np.random.default_rng(seed))
    others, _ = segments_of(found, patients, set(known) - training)
    return train_on(found, patients, labels, training), others, len(training)


def segment_columns(
    found: Segments, paths: Sequence[Path], whose: Sequence[Origin], scorer: SegmentScorer
) -> dict[str, Any]:
    """Return the columns of segments.parquet."""
    records = found.record.tolist()
    return {
        "record": [paths[record].stem for record in records],
        "patient": [whose[record].patient for record in records],
        "label": [whose[record].label for record in records],
        "site": [whose[record].site for record in records],
        "segment": found.number,
        "start": found.start,
        "beats": found.beats,
        "score": scorer.score(found.features),
    }


def ecg_text(content: Mapping[str, Any], out: Path) -> str:
    """Return how many records and segments there are, and what was left out."""
    rows = [
        ("records scored", str(content["records"])),
        ("segments", str(content["segments"])),
        ("patients who trained", str(content["training_patients"])),
        ("records left out", str(len(content["left_out"]))),
    ]
    return aligned(rows) + f"\n\nWrote segments.parquet, scorer.json and ecg.json to {out}/"
