"""Write one frozen file of every kind, and what it decides, for all later versions to reproduce.

Run as ``python scripts/write_golden.py [FOLDER]`` before a release; the files go to
``tests/golden/VERSION``. Those of a version that CHANGELOG.md lists as released are never written
again: they stand for the files that hospitals hold.
"""

import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from steadycut import __version__, aggregate, fit, fit_by_covariate, fit_strata
from steadycut.documents.frozen import FrozenFile
from steadycut.errors import SteadycutWarning
from steadycut.io.safe_csv import csv_bytes

REPOSITORY = Path(__file__).resolve().parent.parent
GOLDEN = REPOSITORY / "tests/golden"
TABLE = "instances.csv"
AGGREGATORS = (
    "mean",
    "median",
    "max",
    "min",
    "quantile:0.9",
    "top-k:3",
    "fraction-above:0.6",
    "noisy-or",
    "trimmed-mean:0.2",
)
# Which score speaks for the disease in which direction.
SCORES = {"ge": "score", "le": "low"}
STRATA_COSTS = [[0.0, 0.2, 1.0], [4.0, 1.0, 0.0]]
N_PATIENTS = 120
N_BOOTSTRAP = 20


def instances() -> dict[str, Any]:
    """Return a table: patients have slides, slides have tiles with two scores from 0 to 1."""
    rng = np.random.default_rng(20)
    tiles = rng.integers(1, 9, N_PATIENTS)
    patient = np.repeat(np.arange(N_PATIENTS), tiles)
    disease = (np.arange(N_PATIENTS) % 2)[patient]
    drawn = rng.normal(size=(2, patient.size)) + 1.5 * disease
    score, other = (1 / (1 + np.exp(-drawn))).round(4)
    return {
        "patient": [f"p{number:03d}" for number in patient.tolist()],
        "slide": rng.integers(1, 4, patient.size).tolist(),
        "score": score.tolist(),
        "low": (1 - score).tolist(),
        # Born as float32, so that their decimals are long.
        "other": other.astype(np.float32).astype(float).tolist(),
        "sex": np.where(patient % 3 == 0, "f", "m").tolist(),
        "age": (30 + patient % 50).tolist(),
        "disease": disease.tolist(),
    }


def single(table: Path, **options: Any) -> FrozenFile[Any]:  # noqa: ANN401
    """Freeze a rule of one score."""
    table_options = {key: options.pop(key) for key in ("levels", "how") if key in options}
    score = options.pop("score", "score")
    patients = aggregate(table, patient="patient", score=score, label="disease", **table_options)
    remember = options.pop("remember_patients", False)
    study = fit(patients, n_bootstrap=N_BOOTSTRAP, **options)
    return study.freeze(remember_patients=remember)


def ensemble(table: Path, kind: str) -> FrozenFile[Any]:
    """Freeze a rule of two scores, each aggregated in every way."""
    several = aggregate(
        table,
        patient="patient",
        score=["score", "other"],
        label="disease",
        levels=["slide:max"],
        how=AGGREGATORS,
    )
    return fit(several, ensemble=kind, n_bootstrap=N_BOOTSTRAP).freeze()


def strata(table: Path, direction: str, **options: Any) -> FrozenFile[Any]:  # noqa: ANN401
    """Freeze ordered strata."""
    score = options.pop("score", SCORES[direction])
    patients = aggregate(table, patient="patient", score=score, label="disease", how="median")
    given = {"costs": STRATA_COSTS, "direction": direction, "n_bootstrap": N_BOOTSTRAP, **options}
    return fit_strata(patients, **given).freeze()


def by_covariate(table: Path, column: str, kind: str, direction: str) -> FrozenFile[Any]:
    """Freeze cut-offs by covariate."""
    patients = aggregate(
        table, patient="patient", score=SCORES[direction], label="disease", attributes=column
    )
    return fit_by_covariate(
        patients,
        covariate=patients.attributes[column],
        kind=kind,
        name=column,
        direction=direction,
        n_bootstrap=N_BOOTSTRAP,
    ).freeze()


RULES: dict[str, Callable[[Path], FrozenFile[Any]]] = {
    "rule-ge": single,
    "rule-le": lambda table: single(table, score="low", direction="le"),
    "rule-nested": lambda table: single(
        table, levels=["slide:top-k:2"], how="quantile:0.9", rule="sensitivity:0.9", cost_fn=3
    ),
    "rule-ensemble-quantile": lambda table: ensemble(table, "quantile"),
    "rule-ensemble-gls": lambda table: ensemble(table, "gls"),
    "rule-target-prevalence": lambda table: single(table, target_prevalence=(0.05, 0.2)),
    "rule-uniform": lambda table: single(table, honesty="uniform", how="noisy-or"),
    # A score of no use and a dear alarm: nobody is called, so that there is no first score called.
    "rule-no-operating-value": lambda table: single(table, score="low", rule="erm", cost_fp=1000),
    # Ends of the cuts: a text takes the place of a number in the file.
    "rule-calls-nobody": lambda table: single(table, score="low", rule="erm", cost_fp=1000),
    "rule-calls-everybody": lambda table: single(
        table, score="low", rule="erm", cost_fn=1000, direction="ge"
    ),
    "strata-ends": lambda table: strata(
        table, "ge", score="low", rule="erm", costs=[[0.0, 0.1, 1.0], [9.0, 0.2, 0.1]]
    ),
    "rule-remembered-patients": lambda table: single(table, remember_patients=True),
    "strata-ge": lambda table: strata(table, "ge"),
    "strata-le": lambda table: strata(table, "le"),
    "covariate-groups": lambda table: by_covariate(table, "sex", "groups", "ge"),
    "covariate-smooth": lambda table: by_covariate(table, "age", "smooth", "le"),
}


def write_golden(folder: Path) -> None:
    """Write the table, every rule, and what each rule decides."""
    folder.mkdir(parents=True, exist_ok=True)
    table = folder / TABLE
    table.write_bytes(csv_bytes(instances()))
    for name, make in RULES.items():
        rule = make(table)
        rule.save(folder / f"{name}.json")
        (folder / f"{name}.csv").write_bytes(decisions(rule, table))


def decisions(rule: Any, table: Path) -> bytes:  # noqa: ANN401
    """Return what a rule decides, and how surely; forced, because these patients made it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SteadycutWarning)
        return decided_columns(rule.decide(str(table), force=True))


def decided_columns(columns: dict[str, Any]) -> bytes:
    """Return the columns that the files of all versions have; later ones follow them."""
    return csv_bytes(dict(list(columns.items())[:4]))


def is_released(version: str) -> bool:
    """Whether the changelog has a heading of this version."""
    return f"\n## [{version}]" in (REPOSITORY / "CHANGELOG.md").read_text(encoding="utf-8")


def main(arguments: list[str]) -> int:
    """Write the files of this version, if it is not released yet."""
    folder = Path(arguments[0]) if arguments else GOLDEN / __version__
    if not arguments and is_released(__version__) and folder.exists():
        print(f"{folder} is of a released version; raise the version first.", file=sys.stderr)
        return 2
    write_golden(folder)
    print(f"Wrote {folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
