"""What all targets of ``steadycut reproduce`` share: options, checks, and the files they write."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from steadycut.cli import options as opt
from steadycut.cli.output import check_folder, show, to_json, write_folder
from steadycut.cli.skipped import exit_if_skipped, note_skipped
from steadycut.core.checks import check_count
from steadycut.errors import BadOption
from steadycut.pipelines.skipped import SkippedFile
from steadycut.study.options import study_options

Replicates = Annotated[
    int,
    typer.Option(
        metavar="N", parser=opt.whole_number, help="How often everything is drawn and run again."
    ),
]
ReproduceOut = Annotated[Path, typer.Option("--out", metavar="DIR", help="Where to write.")]
Force = Annotated[bool, typer.Option("--force", help="Overwrite files of an earlier run.")]
FOLDER = Path("steadycut-paper")
TEXTS, PICTURES = ("json", "md"), ("png", "svg")


def check_run(
    out: Path,
    target: str,
    replicates: int,
    seed: int,
    *,
    force: bool,
    endings: Sequence[str] = TEXTS,
) -> None:
    """Refuse impossible numbers and files that are already there, before any work is done."""
    check_count("--replicates", replicates)
    check_count("--seed", seed, at_least=0)
    check_folder(out)
    names = [f"{target}.{ending}" for ending in endings]
    there = [name for name in names if (out / name).exists()]
    if there and not force:
        msg = (
            f"{out} already holds {', '.join(there)}. Choose another --out, or overwrite them "
            "with --force."
        )
        raise BadOption(msg)


def study_settings(bootstrap: int, delta: float, grid: str, **more: Any) -> dict[str, Any]:
    """Return the options of every study of a target; refuse values that are not allowed."""
    options = {**more, "grid": opt.parse_grid(grid), "n_bootstrap": bootstrap, "delta": delta}
    study_options(**options)
    return options


def finish(
    out: Path,
    target: str,
    content: Mapping[str, Any],
    page: str,
    *,
    as_json: bool,
    pictures: Mapping[str, bytes] | None = None,
    skipped: Sequence[SkippedFile] = (),
) -> None:
    """Write the files of a target, show the result, and name the skipped files."""
    files = {**(pictures or {}), "json": to_json(content), "md": page.encode()}
    write_folder(out, {f"{target}.{ending}": data for ending, data in files.items()})
    note_skipped(skipped)
    show(content, page.rstrip("\n"), as_json=as_json)
    exit_if_skipped(skipped)
