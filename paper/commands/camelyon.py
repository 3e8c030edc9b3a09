"""``python -m paper camelyon``: CAMELYON16/17 and a tile model -> the paper's tables."""

from dataclasses import asdict, dataclass
from pathlib import Path

from paper.camelyon import camelyon_tables, find_camelyon, origins
from paper.commands.shared import PaperSearchOptions, Replicates, RunOutputOptions, study_settings
from steadycut.cli.options import CertificateOptions, required, switch
from steadycut.cli.score.slides import SlideModelOptions, SlideTileOptions, SlideWorkOptions
from steadycut.io.progress import progress_on_stderr
from steadycut.pipelines.skipped import refuse_if_nothing
from steadycut.pipelines.slides import TileModel, score_slides
from steadycut.pipelines.slides.reader import import_openslide


@dataclass(frozen=True, slots=True, kw_only=True)
class CamelyonOptions:
    """Slides."""

    data: Path = required("DIR", "Folder that holds CAMELYON16, CAMELYON17 or both.")
    itc_positive: bool = switch("--itc-positive", "Isolated tumour cells count as metastasis.")


def camelyon_command(
    *,
    given: CamelyonOptions,
    model: SlideModelOptions,
    tiles: SlideTileOptions,
    work: SlideWorkOptions,
    search: PaperSearchOptions,
    certificate: CertificateOptions,
    replicates: Replicates = 20,
    output: RunOutputOptions,
) -> None:
    """Rebuild the tables of CAMELYON16/17, from slides.

    Slides are scored once and found again in OUT/tiles. Exit code 3: some files were skipped.
    """
    output.check("camelyon", replicates, search.seed)
    options = study_settings(search, certificate)
    cut, how = tiles.options(), model.options()
    import_openslide()
    scorer = TileModel(model.model, how)
    slides, problems = find_camelyon(given.data, itc_positive=given.itc_positive)
    job = work.job(model=scorer, options=cut, out=output.out, sheet=origins(slides))
    with progress_on_stderr() as progress:
        scored, unreadable = score_slides([one.path for one in slides], job, progress)
        refuse_if_nothing(len(scored), unreadable, "slides")
        tables, missing = camelyon_tables(slides, scored, replicates, options, progress)
    problems = [*problems, *unreadable, *missing]
    counts = {name: sum(one.counts[name] for one in scored) for name in scored[0].counts}
    output.finish_tables(
        "camelyon", tables, problems, options=asdict(cut), slides=len(scored), tiles=counts
    )
