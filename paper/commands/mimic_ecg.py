"""``python -m paper mimic-ecg``: MIMIC-IV-ECG records -> the paper's tables."""

from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import numpy as np

from paper.commands.shared import PaperSearchOptions, Replicates, RunOutputOptions, study_settings
from paper.halves import table_of_deals
from paper.mimic_ecg import FINDING, find_mimic, hospitals, read_labels
from steadycut.cli.options import CertificateOptions, option, required
from steadycut.cli.score.ecg import Jobs, SegmentOptions, TrainShare
from steadycut.core.checks import check_count, check_fraction
from steadycut.io.progress import progress_on_stderr
from steadycut.pipelines.ecg import read_segments
from steadycut.pipelines.ecg.records import import_wfdb
from steadycut.pipelines.skipped import SkippedFile, refuse_if_nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class MimicOptions:
    """Records."""

    data: Path = required("DIR", "Folder of MIMIC-IV-ECG or its Demo.")
    labels: Path | None = option("CSV", "Columns subject_id and label, 0 or 1. [default: readings]")
    finding: str = option(
        "TEXT", "Without --labels: what makes a reading positive.", default=FINDING
    )
    train_share: TrainShare = 0.4
    jobs: Jobs = 1


def mimic_ecg_command(
    *,
    given: MimicOptions,
    cut: SegmentOptions,
    search: PaperSearchOptions,
    certificate: CertificateOptions,
    replicates: Replicates = 20,
    output: RunOutputOptions,
) -> None:
    """Rebuild the tables of MIMIC-IV-ECG, from records.

    The paper does not say which label it used, and the Demo has none: give --labels, or put
    machine_measurements.csv beside the records. Exit code 3: some files were skipped.
    """
    output.check("mimic-ecg", replicates, search.seed)
    import_wfdb()
    segments = cut.options()
    check_fraction("train_share", given.train_share)
    options = study_settings(search, certificate)
    records, problems = find_mimic(given.data)
    known = read_labels(given.data, given.labels, given.finding)
    paths, n_jobs = list(records), check_count("jobs", given.jobs)
    with progress_on_stderr() as progress:
        found, unreadable = read_segments(paths, segments, n_jobs, progress)
        refuse_if_nothing(found.record.size, unreadable, "records")
        whose = np.array(list(records.values()))[found.record]
        # Each replicate splits the patients again and trains a new scorer.
        deal = partial(hospitals, found, whose, known, given.train_share)
        table = table_of_deals(deal, replicates, options, progress)
    problems = [*problems, *unreadable, *_unlabelled(given.data, records, known)]
    output.finish_tables(
        "mimic-ecg",
        {"MIMIC-IV-ECG": table},
        problems,
        options=asdict(segments),
        label="given" if given.labels is not None else f"any reading says {given.finding!r}",
        records=int(np.unique(found.record).size),
        segments=int(found.record.size),
        train_share=given.train_share,
    )


def _unlabelled(data: Path, records: dict[Path, str], known: dict[str, int]) -> list[SkippedFile]:
    """Say how many patients have no label; not who."""
    lost = set(records.values()) - set(known)
    reason = f"{len(lost)} of {len(set(records.values()))} patients have no label."
    return [SkippedFile(file=str(data), reason=reason)] if lost else []
