"""The paper's CAMELYON tables from scored tiles."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from steadycut.core.records import PatientScores
from steadycut.errors import BadFile, SteadycutError, TooFewPatients
from steadycut.ingest import make_request, read_patients
from steadycut.pipelines.sheet import Origin
from steadycut.pipelines.skipped import SkippedFile
from steadycut.pipelines.slides.pipeline import SlideResult
from steadycut.reproduce.camelyon_files import SEVENTEEN, SIXTEEN, CamelyonSlide
from steadycut.reproduce.halves import deal_halves, table_of_deals, with_labels
from steadycut.reproduce.table import Hospitals
from steadycut.study.fit import Progress

# Tiles to slides (g), slides to patients (h).
TILES_TO_SLIDES = ("max", "top-k:10")
SLIDES_TO_PATIENTS = ("max", "quantile:0.9")
Deal = Callable[[int], Hospitals]


def origins(slides: Sequence[CamelyonSlide]) -> dict[str, Origin]:
    """Return whom each slide comes from.

    Labels stay out: another reading of them needs no new scores.
    """
    return {one.name: Origin(patient=one.patient, site=one.centre) for one in slides}


def camelyon_tables(
    slides: Sequence[CamelyonSlide],
    scored: Sequence[SlideResult],
    replicates: int,
    options: Mapping[str, Any],
    progress: Progress | None = None,
) -> tuple[dict[str, Any], list[SkippedFile]]:
    """Return every table that the slides allow, by its name, and those that they do not.

    Each data set is dealt into P and Q by itself, as the appendix says, by patient and stratified
    by label; CAMELYON17 also with slides as rows. CAMELYON16 to CAMELYON17 is what the caption of
    the paper's table says.
    """
    tables: dict[str, Any] = {}
    problems: list[SkippedFile] = []
    for name, make in _cohorts(slides, scored).items():
        try:
            tables[name] = table_of_deals(make(), options["seed"], replicates, options, progress)
        except SteadycutError as error:
            problems.append(SkippedFile(file=f"table {name}", reason=str(error)))
    if not tables:
        raise BadFile(problems[0].text)
    return tables, problems


def _cohorts(
    slides: Sequence[CamelyonSlide], scored: Sequence[SlideResult]
) -> dict[str, Callable[[], Deal]]:
    """Return how to read the patients of each table; reading gives what deals them."""
    table_of = {one.slide: str(one.table) for one in scored}
    used = [one for one in slides if one.name in table_of]
    parts = {name: [one for one in used if one.dataset == name] for name in (SIXTEEN, SEVENTEEN)}
    ways: dict[str, Callable[[], Deal]] = {}
    if parts[SIXTEEN]:
        ways[SIXTEEN] = partial(_halves, table_of, parts[SIXTEEN], by_slide=True)
    if parts[SEVENTEEN]:
        ways[SEVENTEEN] = partial(_halves, table_of, parts[SEVENTEEN], by_slide=False)
        ways[f"{SEVENTEEN} slides"] = partial(_halves, table_of, parts[SEVENTEEN], by_slide=True)
    if all(parts.values()):
        ways[f"{SIXTEEN} to {SEVENTEEN}"] = partial(_across, table_of, parts)
    return ways


def _halves(
    table_of: Mapping[str, str], slides: Sequence[CamelyonSlide], *, by_slide: bool
) -> Deal:
    candidates = slide_scores(table_of, slides) if by_slide else patient_scores(table_of, slides)
    owners = {one.name: one.patient for one in slides} if by_slide else None
    return partial(deal_halves, candidates, stratified=True, owners=owners)


def _across(table_of: Mapping[str, str], parts: Mapping[str, Sequence[CamelyonSlide]]) -> Deal:
    here, there = (patient_scores(table_of, slides) for slides in parts.values())
    for one in (here[0], there[0]):
        if not 0 < one.n_positive < one.n_patients:
            msg = "both data sets need patients with and without metastasis."
            raise TooFewPatients(msg)
    # The seed deals only who chooses and who validates at P.
    return lambda seed: (here, there)  # noqa: ARG005


def slide_scores(
    table_of: Mapping[str, str], slides: Sequence[CamelyonSlide]
) -> list[PatientScores]:
    """Return the scores of slides by every aggregator, with the slides' own labels."""
    request = make_request(patient="slide", score="score", how=list(TILES_TO_SLIDES))
    table = read_patients(request, [table_of[one.name] for one in slides])
    return with_labels(list(table.patients.values()), {one.name: one.label for one in slides})


def patient_scores(
    table_of: Mapping[str, str], slides: Sequence[CamelyonSlide]
) -> list[PatientScores]:
    """Return the scores of patients by every chain of aggregators."""
    found: list[PatientScores] = []
    for way in TILES_TO_SLIDES:
        request = make_request(
            patient="patient",
            score="score",
            levels=[("slide", way)],
            how=list(SLIDES_TO_PATIENTS),
        )
        table = read_patients(request, [table_of[one.name] for one in slides])
        found += table.patients.values()
    return with_labels(found, {one.patient: one.patient_label for one in slides})
