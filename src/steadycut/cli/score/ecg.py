"""``steadycut score-ecg``: one table of scored segments from 12-lead WFDB records."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from steadycut.cli.options import OutputOptions, Seed, argument, number, option, switch, whole
from steadycut.cli.output import check_folder, to_json, write_folder
from steadycut.cli.results import finish_scoring
from steadycut.cli.score.models import ModelRunOptions
from steadycut.core.checks import check_count, check_fraction
from steadycut.errors import BadOption
from steadycut.io.parquet import write_parquet
from steadycut.io.progress import progress_on_stderr
from steadycut.pipelines.driver import InputFiles, gather_files
from steadycut.pipelines.ecg import EcgOptions, Segments, SegmentScorer, read_segments
from steadycut.pipelines.ecg.features import NAMES
from steadycut.pipelines.ecg.pipeline import ModelFile, load_scorer
from steadycut.pipelines.ecg.plot import draw_segments
from steadycut.pipelines.ecg.records import RECORDS, import_wfdb
from steadycut.pipelines.ecg.scorer import read_scorer
from steadycut.pipelines.ecg.training import labels_of_patients, train_apart
from steadycut.pipelines.models.interface import RunOptions
from steadycut.pipelines.sheet import origin_columns, origin_of
from steadycut.pipelines.skipped import refuse_if_nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordOptions:
    """Records."""

    records: list[str] = argument("RECORD", "WFDB records, or folders that hold them.")
    sheet: Path | None = option("CSV", "Columns record, patient and label, site.")


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentOptions:
    """Segments."""

    segments: str = option("windows|beats", "What is scored.", default="windows")
    window: float = number("S", "Seconds that a window lasts.", default=5.0)
    step: float = number("S", "Seconds from window to window.", default=2.5)

    def options(self) -> EcgOptions:
        """Check how a record is cut."""
        return EcgOptions(**asdict(self))


TRAINING = "Share of the patients who train the scorer; they get no scores."
TrainShare = Annotated[float, number("X", TRAINING)]
Jobs = Annotated[int, whole("N", "Workers.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScorerOptions:
    """Scorer."""

    scorer: Path | None = option("JSON", "Score with this scorer.json instead of training one.")
    train_share: TrainShare = 0.5
    seed: Seed = 0
    jobs: Jobs = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentModelOptions(ModelRunOptions):
    """Model."""

    def file(self) -> ModelFile | None:
        """Load the model, if there is one, to see that it works; return what workers load."""
        values = asdict(self)
        path, how = values.pop("model"), RunOptions(**values)
        if path is None and how != RunOptions():
            raise BadOption("options of a model need --model. Give it, or leave them out.")
        if path is not None:
            load_scorer(path, how)
        return None if path is None else (path, how)


@dataclass(frozen=True, slots=True, kw_only=True)
class EcgOutputOptions(OutputOptions):
    """Output."""

    plot: bool = switch("--plot", "Also draw every record with its segments.")


def score_ecg_command(
    given: RecordOptions,
    cut: SegmentOptions,
    how: ScorerOptions,
    model: SegmentModelOptions,
    output: EcgOutputOptions,
) -> None:
    """Score segments of 12-lead ECGs (experimental).

    The scorer is a logistic regression, or your --model. Writes segments.parquet, scorer.json,
    ecg.json, and with --plot plots/NAME.svg. Patients who train the scorer are not in the table.
    Exit code 3: some records were skipped, see stderr.
    """
    out, seed, n_jobs = output.out, how.seed, check_count("jobs", how.jobs)
    check_folder(out)
    import_wfdb()
    options = cut.options()
    check_fraction("train_share", how.train_share)
    check_count("seed", seed, at_least=0)
    own = model.file()
    if own is not None and how.scorer is not None:
        raise BadOption("only one of --model and --scorer may be given; got both. Leave one out.")
    ready = None if how.scorer is None else read_scorer(how.scorer, NAMES)
    trains = own is None and ready is None
    files = gather_files(given.records, RECORDS, given.sheet, need_labels=trains)
    labels = labels_of_patients(files.sheet) if trains else {}
    with progress_on_stderr() as progress:
        segments, skipped = read_segments(files.paths, options, n_jobs, progress, own)
    skipped = [*files.skipped, *skipped]
    refuse_if_nothing(segments.record.size, skipped, "records")
    n_training = 0
    if trains:
        patients = np.array([origin_of(path, files.sheet).patient for path in files.paths], str)
        whose = patients[segments.record]
        ready, segments, n_training = train_apart(segments, whose, labels, how.train_share, seed)
    out.mkdir(parents=True, exist_ok=True)
    made = {"options": asdict(options), "seed": seed}
    write_parquet(out / "segments.parquet", segment_columns(segments, files, ready), made)
    if ready is not None:
        write_folder(out, {"scorer.json": to_json(ready.to_dict())})
    if output.plot:
        unread = {file.file for file in skipped}
        read = [path for path in files.paths if str(path) not in unread]
        drawn = {f"{path.stem}.svg": draw_segments(path, options) for path in read}
        write_folder(out / "plots", drawn)
    counts = {
        "records": int(np.unique(segments.record).size),
        "segments": int(segments.record.size),
        "training_patients": n_training,
    }
    content = {"options": asdict(options), **counts}
    if own is not None:
        content["model"] = load_scorer(*own).fingerprint
    names = ("records scored", "segments", "patients who trained")
    rows = list(zip(names, map(str, counts.values()), strict=True))
    finish_scoring(out, "ecg", content, rows, skipped, as_json=output.as_json)


def segment_columns(
    segments: Segments, files: InputFiles, scorer: SegmentScorer | None
) -> dict[str, Any]:
    """Return the columns of segments.parquet; without a scorer the features are the scores."""
    paths = [files.paths[record] for record in segments.record.tolist()]
    return {
        **origin_columns(RECORDS.name, paths, files.sheet),
        "segment": segments.number,
        "start": segments.start,
        "beats": segments.beats,
        "score": segments.features[:, 0] if scorer is None else scorer.score(segments.features),
    }
