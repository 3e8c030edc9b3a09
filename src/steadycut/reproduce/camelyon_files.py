"""CAMELYON16 and CAMELYON17 as they are downloaded: which slide is whose, from where, and sick."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from steadycut.errors import BadOption, BadTable
from steadycut.pipelines.sheet import file_stem, read_rows
from steadycut.pipelines.skipped import SkippedFile, skip_after

SIXTEEN, SEVENTEEN = "CAMELYON16", "CAMELYON17"
NAME_16 = re.compile(r"(normal|tumor|test)_(\d+)", re.IGNORECASE)
NAME_17 = re.compile(r"(patient_(\d+))_node_(\d+)", re.IGNORECASE)
CENTRE_17 = re.compile(r"center_(\d+)", re.IGNORECASE)
# The last training slide of each kind from Radboud; later ones are from Utrecht.
LAST_OF_RADBOUD = {"normal": 100, "tumor": 70}
PATIENTS_A_CENTRE, TRAINING_PATIENTS = 20, 100
# The organisers withdrew these: mislabelled (it is tumor_111 now), and a copy of another slide.
WITHDRAWN = {"normal_086": "mislabelled", "test_049": "a copy of another slide"}
# Isolated tumour cells are no metastasis in the TNM classification: pN0(i+).
STAGES = {"negative": 0, "itc": 0, "micro": 1, "macro": 1}
SHEETS_17 = ("stage_labels.csv", "stages.csv")


@dataclass(frozen=True, slots=True, kw_only=True)
class CamelyonSlide:
    """One labelled slide. In CAMELYON16 every slide is a patient of its own.

    ``patient_label`` is 1 if any node of the patient has a metastasis, also one whose slide is
    not there or cannot be read.
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
    """Return the slides below a folder and what must be skipped.

    Parameters
    ----------
    data
        A folder that holds one or both data sets; slides are known by their names, wherever they
        are below it, test labels of CAMELYON16 by ``reference.csv``, node labels of CAMELYON17
        by ``stage_labels.csv`` or ``stages.csv``.
    itc_positive
        Whether isolated tumour cells count as metastasis.
    """
    if not data.is_dir():
        msg = f"--data must be a folder that holds CAMELYON16 or CAMELYON17; {data} is none."
        raise BadOption(msg)
    paths = sorted(path for path in data.rglob("*.tif") if path.is_file())
    sixteen, problems_16 = _find_16(data, [path for path in paths if NAME_16.fullmatch(path.stem)])
    seventeen, problems_17 = _find_17(
        data, [path for path in paths if NAME_17.fullmatch(path.stem)], itc_positive=itc_positive
    )
    if not sixteen and not seventeen:
        why = f" ({problems[0].text})" if (problems := [*problems_16, *problems_17]) else ""
        msg = (
            f"no labelled slide was found below {data}{why}. Expected are normal_001.tif, "
            "tumor_001.tif, test_001.tif or patient_000_node_0.tif, and their label sheets."
        )
        raise BadOption(msg)
    return [*sixteen, *seventeen], [*problems_16, *problems_17]


def _find_16(data: Path, paths: list[Path]) -> tuple[list[CamelyonSlide], list[SkippedFile]]:
    tests = any(_kind_16(path)[0] == "test" for path in paths)
    labels, problems = _read_labels(data, ["reference.csv"], needed=tests)
    found = []
    for path in _once(paths, problems):
        kind, number = _kind_16(path)
        label = {"normal": 0, "tumor": 1}.get(kind, labels.get(path.stem.lower()))
        if path.stem.lower() in WITHDRAWN:
            problems.append(_problem(path, f"withdrawn: {WITHDRAWN[path.stem.lower()]}."))
        elif label is None:
            problems.append(_problem(path, "reference.csv does not give its label."))
        else:
            found.append(
                CamelyonSlide(
                    path=path,
                    dataset=SIXTEEN,
                    patient=path.stem,
                    centre=_centre_16(kind, number),
                    label=label,
                    patient_label=label,
                )
            )
    return found, problems


def _find_17(
    data: Path, paths: list[Path], *, itc_positive: bool
) -> tuple[list[CamelyonSlide], list[SkippedFile]]:
    labels, problems = _read_labels(data, SHEETS_17, needed=bool(paths), itc_positive=itc_positive)
    by_patient = _patient_labels(labels)
    found = []
    for path in _in_one_centre(_once(paths, problems), problems):
        label = labels.get(path.stem.lower())
        if label is None:
            problems.append(_problem(path, f"{SHEETS_17[0]} does not give its label."))
            continue
        patient, centre = _patient_17(path)
        found.append(
            CamelyonSlide(
                path=path,
                dataset=SEVENTEEN,
                patient=patient,
                centre=centre,
                label=label,
                patient_label=by_patient[patient],
            )
        )
    return found, problems


def _patient_labels(labels: Mapping[str, int]) -> dict[str, int]:
    """Return 1 for patients with a metastasis in any node of the sheet."""
    found: dict[str, int] = defaultdict(int)
    for name, label in labels.items():
        node = NAME_17.fullmatch(name)
        if node:
            found[node[1]] = max(found[node[1]], label)
    return found


def _kind_16(path: Path) -> tuple[str, int]:
    found = NAME_16.fullmatch(path.stem)
    assert found is not None  # noqa: S101
    return found[1].lower(), int(found[2])


def _centre_16(kind: str, number: int) -> str:
    if kind not in LAST_OF_RADBOUD:
        return "CAMELYON16 test"
    return "Radboud" if number <= LAST_OF_RADBOUD[kind] else "Utrecht"


def _patient_17(path: Path) -> tuple[str, str]:
    found = NAME_17.fullmatch(path.stem)
    assert found is not None  # noqa: S101
    folders = [CENTRE_17.fullmatch(part) for part in path.parent.parts]
    centres = [folder[1] for folder in folders if folder]
    number = int(found[2])
    usual = str(number // PATIENTS_A_CENTRE) if number < TRAINING_PATIENTS else "unknown"
    return found[1].lower(), f"center_{centres[-1] if centres else usual}"


def _once(paths: Iterable[Path], problems: list[SkippedFile]) -> list[Path]:
    """Return slides whose name occurs once; which of two is right nobody can tell."""
    by_name: dict[str, list[Path]] = defaultdict(list)
    for path in paths:
        by_name[path.stem.lower()].append(path)
    for same in by_name.values():
        if len(same) > 1:
            reason = f"{len(same)} files have its name; which is right cannot be told."
            problems += [_problem(path, reason) for path in same]
    return [same[0] for same in by_name.values() if len(same) == 1]


def _in_one_centre(paths: Iterable[Path], problems: list[SkippedFile]) -> list[Path]:
    """Return slides whose patient is at one centre only."""
    several = list(paths)
    centres: dict[str, set[str]] = defaultdict(set)
    for path in several:
        patient, centre = _patient_17(path)
        centres[patient].add(centre)
    at_two = {path: None for path in several if len(centres[_patient_17(path)[0]]) > 1}
    reason = "slides of its patient lie in the folders of two centres; all of them are skipped."
    problems += [_problem(path, reason) for path in at_two]
    return [path for path in several if path not in at_two]


def _read_labels(
    data: Path, names: Iterable[str], *, needed: bool, itc_positive: bool = False
) -> tuple[dict[str, int], list[SkippedFile]]:
    """Return the labels of every sheet of one of these names, by the stem of the slide's name."""
    known: Mapping[str, int] = {**STAGES, "itc": int(itc_positive), "normal": 0, "tumor": 1}
    labels: dict[str, int] = {}
    problems: list[SkippedFile] = []
    sheets = sorted(path for name in names for path in data.rglob(name))
    if needed and not sheets:
        problems.append(
            SkippedFile(file=str(data / next(iter(names))), reason="there is no such file.")
        )
    for sheet in sheets:
        try:
            rows = read_rows(sheet)
        except BadTable as error:
            problems.append(skip_after(error, sheet))
            continue
        for name, stage in (row[:2] for row in rows if len(row) > 1):
            if stage.lower() in known:
                labels[file_stem(name).lower()] = known[stage.lower()]
    return labels, problems


def _problem(path: Path, reason: str) -> SkippedFile:
    return SkippedFile(file=str(path), reason=reason)
