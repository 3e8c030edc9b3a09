"""What all targets of ``python -m paper`` share: options, checks, and the files they write."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

from paper.claims import SCHEMA
from paper.pages import tables_page
from steadycut.cli.options import (
    AsJson,
    OutFolder,
    SearchOptions,
    option,
    study_arguments,
    switch,
    whole,
)
from steadycut.cli.output import check_folder, refuse, show, to_json, write_folder
from steadycut.cli.results import exit_if_skipped, note_skipped
from steadycut.core.checks import check_count
from steadycut.pipelines.skipped import SkippedFile
from steadycut.study.options import study_options

Replicates = Annotated[int, whole("N", "How often everything is drawn and run again.")]
TEXTS, PICTURES = ("json", "md"), ("png", "svg")


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperSearchOptions(SearchOptions):
    """Bootstrap and grid."""

    grid: str = option("exact|even|N", "Cut-offs to try; the paper's are even.", default="even")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOutputOptions:
    """Output."""

    out: OutFolder = Path("steadycut-paper")
    force: bool = switch("--force", "Overwrite files of an earlier run.")
    as_json: AsJson = False

    def check(
        self, target: str, replicates: int, seed: int, endings: Sequence[str] = TEXTS
    ) -> None:
        """Refuse impossible numbers and files that are already there, before any work is done."""
        check_count("replicates", replicates)
        check_count("seed", seed, at_least=0)
        check_folder(self.out)
        names = [f"{target}.{ending}" for ending in endings]
        there = [name for name in names if (self.out / name).exists()]
        if there and not self.force:
            refuse(
                f"{self.out} already holds {', '.join(there)}. Choose another --out, or overwrite "
                "them with --force."
            )

    def finish(
        self,
        target: str,
        content: Mapping[str, Any],
        page: str,
        *,
        pictures: Mapping[str, bytes] | None = None,
        skipped: Sequence[SkippedFile] = (),
    ) -> None:
        """Write the files of a target, show the result, and name the skipped files."""
        files = {**(pictures or {}), "json": to_json(content), "md": page.encode()}
        write_folder(self.out, {f"{target}.{ending}": data for ending, data in files.items()})
        note_skipped(skipped)
        show(content, page.rstrip("\n"), as_json=self.as_json)
        exit_if_skipped(skipped)

    def finish_tables(
        self, target: str, tables: Mapping[str, Any], skipped: Sequence[SkippedFile], **about: Any
    ) -> None:
        """Write and show the tables of several data sets; ``about`` describes the run."""
        content = {
            "schema": SCHEMA,
            "target": target,
            **about,
            "tables": tables,
            "skipped": [asdict(one) for one in skipped],
        }
        self.finish(target, content, tables_page(content), skipped=skipped)


def study_settings(*groups: Any) -> dict[str, Any]:
    """Return the options of every study of a target; refuse values that are not allowed."""
    options = study_arguments(*groups)
    study_options(**options)
    return options
