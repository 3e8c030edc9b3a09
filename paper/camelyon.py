"""CAMELYON16 and CAMELYON17, as they are downloaded: slides, labels, and the paper's tables."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from paper.halves import deal_halves, table_of_deals, with_labels
from paper.table import Hospitals
from steadycut.core.records import PatientScores
from steadycut.errors import BadFile, BadOption, BadTable, SteadycutError, TooFewPatients
from steadycut.ingest import make_request, read_patients
from steadycut.ingest.patients import Progress
from steadycut.pipelines.sheet import Origin, file_stem, read_rows
from steadycut.pipelines.skipped import SkippedFile, skip_after
from steadycut.pipelines.slides.pipeline import SlideResult

SIXTEEN, SEVENTEEN = "CAMELYON16", "CAMELYON17"
SEVENTEEN_SLIDES = f"{SEVENTEEN} slides"
SLIDES_ARE_ROWS = {SIXTEEN, SEVENTEEN_SLIDES}
# Names of slides, in lower case.
NAME_16 = re.compile(r"(normal|tumor|test)_(\d+)")
NAME_17 = re.compile(r"(patient_(\d+))_node_(\d+)")
CENTRE_17 = re.compile(r"center_(\d+)", re.IGNORECASE)
# The last training slide of each kind from Radboud; the later ones are from Utrecht.
LAST_OF_RADBOUD = {"normal": 100, "tumor": 70}
PATIENTS_PER_CENTRE, TRAINING_PATIENTS = 20, 100
# The organisers withdrew these two slides; the first is now tumor_111.
WITHDRAWN = {"normal_086": "mislabelled", "test_049": "a copy of another slide"}
# In the TNM classification isolated tumour cells are not a metastasis: pN0(i+).
KINDS = {"normal": 0, "tumor": 1}
STAGES = {"negative": 0, "itc": 0, "micro": 1, "macro": 1}
SHEETS_17 = ("stage_labels.csv", "stages.csv")
# Aggregators from tiles to slides (g in the paper) and from slides to patients (h). The mean is
# in the paper's list of aggregators, at no certain level.
TILES_TO_SLIDES = ("max", "top-k:10", "mean")
SLIDES_TO_PATIENTS = ("max", "quantile:0.9", "mean")
COPIES = "{} files have its name, and either may be right."

Deal = Callable[[int], Hospitals]
# Slides by their path, with the parts of their names.
Named = Mapping[Path, re.Match[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class CamelyonSlide:
    """One labelled slide. In CAMELYON16 every slide is a patient of its own.

    ``patient_label`` is 1 if any node of the patient has a metastasis, even if the slide of that
    node is missing or cannot be read.
    """

    path: Path
    dataset: str
    patient: str
    centre: str
    label: int
    patient_label: int

    @property
    def name(self) -> str:
        """The name of the slide in tables."""
        return self.path.stem


def find_camelyon(
    data: Path, *, itc_positive: bool = False
) -> tuple[list[CamelyonSlide], list[SkippedFile]]:
    """Return the slides below a folder, and what is skipped.

    Parameters
    ----------
    data
        A folder that holds one or both data sets. Slides are found by their names, anywhere below
        it. ``reference.csv`` has the test labels of CAMELYON16; ``stage_labels.csv`` or
        ``stages.csv`` has the node labels of CAMELYON17.
    itc_positive
        Whether isolated tumour cells count as metastasis.
    """
    if not data.is_dir():
        msg = f"--data must be a folder that holds CAMELYON16 or 17; {data} is not a folder."
        raise BadOption(msg)
    paths = sorted(path for path in data.rglob("*.tif") if path.is_file())
    named_16, named_17 = (_named(paths, pattern) for pattern in (NAME_16, NAME_17))
    found = [*_find_16(data, named_16), *_find_17(data, named_17, itc_positive=itc_positive)]
    slides = [one for one in found if isinstance(one, CamelyonSlide)]
    skipped = [one for one in found if isinstance(one, SkippedFile)]
    if not slides:
        why = f" ({skipped[0].text})" if skipped else ""
        msg = (
            f"no labelled slide was found below {data}{why}. Slides are named normal_001.tif, "
            "tumor_001.tif, test_001.tif or patient_000_node_0.tif, and need label sheets."
        )
        raise BadOption(msg)
    return slides, skipped


def _named(paths: Iterable[Path], pattern: re.Pattern[str]) -> Named:
    return {path: name for path in paths if (name := pattern.fullmatch(path.stem.lower()))}


def _find_16(data: Path, named: Named) -> Iterator[CamelyonSlide | SkippedFile]:
    tests = any(name[1] == "test" for name in named.values())
    labels, unread = _read_labels(data, ["reference.csv"], needed=tests)
    yield from unread
    copies = Counter(name[0] for name in named.values())
    for path, name in named.items():
        label = KINDS.get(name[1], labels.get(name[0]))
        if copies[name[0]] > 1:
            yield _skip(path, COPIES.format(copies[name[0]]))
        elif name[0] in WITHDRAWN:
            yield _skip(path, f"withdrawn: {WITHDRAWN[name[0]]}.")
        elif label is None:
            yield _skip(path, "reference.csv does not give its label.")
        else:
            yield CamelyonSlide(
                path=path,
                dataset=SIXTEEN,
                patient=path.stem,
                centre=_centre_16(name[1], int(name[2])),
                label=label,
                patient_label=label,
            )


def _centre_16(kind: str, number: int) -> str:
    if kind not in LAST_OF_RADBOUD:
        return "CAMELYON16 test"
    return "Radboud" if number <= LAST_OF_RADBOUD[kind] else "Utrecht"


def _find_17(
    data: Path, named: Named, *, itc_positive: bool
) -> Iterator[CamelyonSlide | SkippedFile]:
    labels, unread = _read_labels(data, SHEETS_17, needed=bool(named), itc_positive=itc_positive)
    yield from unread
    nodes = [(NAME_17.fullmatch(name), label) for name, label in labels.items()]
    positive = {node[1] for node, label in nodes if node and label}
    copies = Counter(name[0] for name in named.values())
    centres = defaultdict(set)
    for path, name in named.items():
        if copies[name[0]] == 1:
            centres[name[1]].add(_centre_17(path, int(name[2])))
    for path, name in named.items():
        label = labels.get(name[0])
        if copies[name[0]] > 1:
            yield _skip(path, COPIES.format(copies[name[0]]))
        elif len(centres[name[1]]) > 1:
            yield _skip(path, "slides of its patient lie in the folders of two centres.")
        elif label is None:
            yield _skip(path, f"{SHEETS_17[0]} does not give its label.")
        else:
            yield CamelyonSlide(
                path=path,
                dataset=SEVENTEEN,
                patient=name[1],
                centre=_centre_17(path, int(name[2])),
                label=label,
                patient_label=int(name[1] in positive),
            )


def _centre_17(path: Path, patient: int) -> str:
    folders = [CENTRE_17.fullmatch(part) for part in path.parent.parts]
    centres = [folder[1] for folder in folders if folder]
    usual = str(patient // PATIENTS_PER_CENTRE) if patient < TRAINING_PATIENTS else "unknown"
    return f"center_{centres[-1] if centres else usual}"


def _read_labels(
    data: Path, names: Sequence[str], *, needed: bool, itc_positive: bool = False
) -> tuple[dict[str, int], list[SkippedFile]]:
    """Return the labels of every sheet of one of these names, by the stem of the slide's name."""
    known = {**STAGES, **KINDS, "itc": int(itc_positive)}
    labels: dict[str, int] = {}
    sheets = sorted(path for name in names for path in data.rglob(name))
    skipped = [_skip(data / names[0], "there is no such file.")] if needed and not sheets else []
    for sheet in sheets:
        try:
            rows = read_rows(sheet)
        except BadTable as error:
            skipped.append(skip_after(error, sheet))
            continue
        for name, stage in (row[:2] for row in rows if len(row) > 1):
            if stage.lower() in known:
                labels[file_stem(name).lower()] = known[stage.lower()]
    return labels, skipped


def _skip(path: Path, reason: str) -> SkippedFile:
    return SkippedFile(file=str(path), reason=reason)


def origins(slides: Sequence[CamelyonSlide]) -> dict[str, Origin]:
    """Return the patient and site of each slide.

    Labels are not part of it, so reading the labels in another way needs no new scores.
    """
    return {one.name: Origin(patient=one.patient, site=one.centre) for one in slides}


def camelyon_tables(
    slides: Sequence[CamelyonSlide],
    scored: Sequence[SlideResult],
    replicates: int,
    options: Mapping[str, Any],
    progress: Progress | None = None,
) -> tuple[dict[str, Any], list[SkippedFile]]:
    """Return every table that the slides allow, by its name, and the tables that are skipped.

    As the appendix says, each data set is split into P and Q on its own, by patient and stratified
    by label. CAMELYON17 is also used with slides as rows. The caption of the paper's table speaks
    of CAMELYON16 to CAMELYON17. Where slides are rows each counts as a patient, as in the paper.
    Slides of one patient are not independent, so standard errors there are too small.
    """
    tables: dict[str, Any] = {}
    problems: list[SkippedFile] = []
    for name, make in _cohorts(slides, scored).items():
        try:
            settings = {**options, "one_per_patient": name in SLIDES_ARE_ROWS}
            tables[name] = table_of_deals(make(), replicates, settings, progress)
        except SteadycutError as error:
            problems.append(SkippedFile(file=f"table {name}", reason=str(error)))
    if not tables:
        raise BadFile(problems[0].text)
    return tables, problems


def _cohorts(
    slides: Sequence[CamelyonSlide], scored: Sequence[SlideResult]
) -> dict[str, Callable[[], Deal]]:
    """Return for each table a function that reads its patients and says how to split them."""
    table_of = {one.slide: str(one.table) for one in scored}
    used = [one for one in slides if one.name in table_of]
    parts = {name: [one for one in used if one.dataset == name] for name in (SIXTEEN, SEVENTEEN)}
    ways: dict[str, Callable[[], Deal]] = {}
    if parts[SIXTEEN]:
        ways[SIXTEEN] = partial(_halves, table_of, parts[SIXTEEN], by_slide=True)
    if parts[SEVENTEEN]:
        ways[SEVENTEEN] = partial(_halves, table_of, parts[SEVENTEEN], by_slide=False)
        ways[SEVENTEEN_SLIDES] = partial(_halves, table_of, parts[SEVENTEEN], by_slide=True)
    if all(parts.values()):
        ways[f"{SIXTEEN} to {SEVENTEEN}"] = partial(_across, table_of, parts)
    return ways


def _halves(
    table_of: Mapping[str, str], slides: Sequence[CamelyonSlide], *, by_slide: bool
) -> Deal:
    candidates = slide_scores(table_of, slides) if by_slide else patient_scores(table_of, slides)
    owners = {one.name: one.patient for one in slides} if by_slide else None
    return partial(deal_halves, candidates, owners=owners)


def _across(table_of: Mapping[str, str], parts: Mapping[str, Sequence[CamelyonSlide]]) -> Deal:
    here, there = (patient_scores(table_of, slides) for slides in parts.values())
    for one in (here[0], there[0]):
        if not 0 < one.n_positive < one.n_patients:
            msg = "both data sets need patients with and without metastasis."
            raise TooFewPatients(msg)
    # The seed decides only who chooses and who validates at P.
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
            patient="patient", score="score", levels=[("slide", way)], how=list(SLIDES_TO_PATIENTS)
        )
        table = read_patients(request, [table_of[one.name] for one in slides])
        found += table.patients.values()
    return with_labels(found, {one.patient: one.patient_label for one in slides})
