"""The options that commands share, declared once."""

from pathlib import Path
from typing import Annotated, Any

import typer

from steadycut.core.aggregate.aggregators import aggregator_names
from steadycut.core.bounds.concentration import BOUNDS
from steadycut.documents.known_patients import check_key
from steadycut.errors import BadOption
from steadycut.io.files import read_small


def number(text: str) -> float:
    """Read a number; typer's own refusal does not repeat what was given."""
    try:
        return float(text)
    except ValueError:
        msg = f"it must be a number; got {text!r}."
        raise typer.BadParameter(msg) from None


def whole_number(text: str) -> int:
    """Read a whole number."""
    try:
        return int(text)
    except ValueError:
        msg = f"it must be a whole number; got {text!r}."
        raise typer.BadParameter(msg) from None


Tables = Annotated[
    list[str],
    typer.Argument(
        metavar="TABLE",
        help="CSV, Parquet, Feather or .h5ad files, a pattern, or a folder of Parquet files.",
    ),
]
Patient = Annotated[str, typer.Option(metavar="COL", help="Column that identifies patients.")]
Score = Annotated[
    list[str],
    typer.Option(metavar="COL", help="Column of instance scores; several are compared as methods."),
]
Label = Annotated[
    str,
    typer.Option(metavar="COL", help="Column of labels, the same in all rows of a patient."),
]
Positive = Annotated[
    str | None,
    typer.Option(
        metavar="VALUE", help="The label that counts as positive. [default: labels are 0/1]"
    ),
]
Direction = Annotated[
    str, typer.Option(metavar="ge|le", help="ge: high scores are called; le: low ones.")
]
Level = Annotated[
    list[str] | None,
    typer.Option(metavar="COL:AGG", help="Level between rows and patients, innermost first."),
]
Aggregate = Annotated[
    list[str] | None,
    typer.Option(
        metavar="AGG",
        help=f"{', '.join(aggregator_names())}, over a patient; several are compared. "
        "[default: mean]",
    ),
]
Site = Annotated[str | None, typer.Option(metavar="COL", help="Column of sites.")]
Verify = Annotated[
    Path | None,
    typer.Option(
        metavar="PUBLIC_KEY", help="Use the rule only if RULE.sig says that this key signed it."
    ),
]
Internal = Annotated[
    str | None,
    typer.Option(metavar="NAME[,NAME]", help="Sites to choose on. [default: all]"),
]
External = Annotated[
    str | None, typer.Option(metavar="NAME[,NAME]", help="Sites to judge on. [default: all]")
]
Ensemble = Annotated[
    str | None,
    typer.Option(
        metavar="quantile|gls",
        help="Average all scores and aggregators on the quantile scale, with equal or GLS weights. "
        "[default: choose one]",
    ),
]
CostFn = Annotated[
    float,
    typer.Option("--cost-fn", metavar="X", parser=number, help="Cost of a missed patient."),
]
CostFp = Annotated[
    float,
    typer.Option("--cost-fp", metavar="X", parser=number, help="Cost of a false alarm."),
]
TargetPrevalence = Annotated[
    str | None,
    typer.Option(
        "--target-prevalence",
        metavar="P|LOW,HIGH",
        help="Prevalence at which risk counts, or a range: then its worse end. [default: as found]",
    ),
]
Stratified = Annotated[
    bool,
    typer.Option(
        "--stratified",
        help="Deal the classes evenly to those who choose and certify; with --target-prevalence.",
    ),
]
RuleName = Annotated[
    str,
    typer.Option(
        "--rule",
        metavar="RULE",
        help="stable, erm, youden, sensitivity:X, ppv:X, kappa, ...: `steadycut rules` lists them.",
    ),
]
Stratify = Annotated[
    str | None,
    typer.Option(
        "--stratify",
        metavar="label|site|COL",
        help="Resample patients within labels, sites or the values of a column that is the same in "
        "all rows of a patient. [default: all together]",
    ),
]
Honesty = Annotated[
    str,
    typer.Option(
        metavar="split|uniform",
        help="split: some choose, the others certify; uniform: everybody does both.",
    ),
]
BoundName = Annotated[
    str,
    typer.Option(
        "--bound",
        metavar="NAME",
        help=f"auto, {', '.join(BOUNDS)}; compression and class-wise-dkw need "
        "--honesty uniform, the class-wise ones --target-prevalence.",
    ),
]
Delta = Annotated[
    float, typer.Option(metavar="X", parser=number, help="Failure probability of the certificate.")
]
Confidence = Annotated[
    float,
    typer.Option(
        metavar="X", parser=number, help="Confidence of the intervals of the operating point."
    ),
]
Bootstrap = Annotated[
    int, typer.Option(metavar="N", parser=whole_number, help="Number of bootstrap cohorts.")
]
Grid = Annotated[str, typer.Option(metavar="N|exact", help="Number of cuts, or exact.")]
Select = Annotated[
    str,
    typer.Option(
        "--select",
        metavar="HOW",
        help="How one of several candidates is chosen: risk, objective (Algorithm 1's J), no-bias, "
        "or with several sites site-mean or site-worst.",
    ),
]
Seed = Annotated[
    int,
    typer.Option(
        metavar="N", parser=whole_number, help="Same table, options and seed: same bytes."
    ),
]
Missing = Annotated[
    str,
    typer.Option(
        metavar="refuse|drop",
        help="refuse, or drop (and count) rows without a score and patients without a label.",
    ),
]
EngineName = Annotated[
    str,
    typer.Option(
        "--engine",
        metavar="NAME",
        help="auto, memory (numpy), duckdb (any size) or spark (a cluster); same result.",
    ),
]
Memory = Annotated[
    str | None,
    typer.Option(metavar="SIZE", help="About how much memory rows may take. [default: 2GiB]"),
]
Resume = Annotated[
    bool,
    typer.Option("--resume", help="Go on with the aggregation that was interrupted in --out."),
]
Force = Annotated[
    bool,
    typer.Option("--force", help="Go on where the rule refuses these patients, and record it."),
]
RememberPatients = Annotated[
    bool,
    typer.Option(
        "--remember-patients",
        help="Put salted hashes of the identifiers into the rule, to refuse these patients later.",
    ),
]
PatientKey = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="A secret of at least 16 bytes by which patients are remembered."
    ),
]
SmallCells = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        parser=whole_number,
        help="Let no number that is written stand for fewer than N patients.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
OutDirectory = Annotated[Path, typer.Option("--out", metavar="DIR", help="Where to write.")]


def read_key(path: Path | None) -> bytes | None:
    """Return the secret in a file, without the end of its line."""
    if path is None:
        return None
    try:
        return check_key(read_small(path).strip())
    except OSError as error:
        msg = f"cannot read --patient-key {path}: {error.strerror or error}. Check the path."
        raise BadOption(msg) from None


def parse_remember(remember: bool, path: Path | None) -> dict[str, Any]:
    """Return how a rule is to remember its patients, as `Study.freeze` takes it."""
    if path is not None and not remember:
        msg = "--patient-key is for --remember-patients; give both, or neither."
        raise BadOption(msg)
    return {"remember_patients": remember, "key": read_key(path)}


def parse_grid(text: str) -> int | str:
    """Return a number of cuts, or ``exact``."""
    if text == "exact":
        return text
    try:
        return int(text)
    except ValueError:
        msg = f"--grid must be 'exact' or a whole number of at least 2; got {text!r}."
        raise BadOption(msg) from None


def parse_prevalence(text: str | None) -> float | tuple[float, float] | None:
    """Return a prevalence, or the two ends of a range."""
    if text is None:
        return None
    try:
        low, high = (float(end) for end in text.split(",")) if "," in text else (float(text),) * 2
    except ValueError:
        msg = f"--target-prevalence must be a number, or two as LOW,HIGH; got {text!r}."
        raise BadOption(msg) from None
    return (low, high) if "," in text else low


def parse_stratify(
    stratify: str | None, label: str, site: str | None
) -> tuple[str | None, list[str]]:
    """Return what patients are resampled within, and the column to read for it, if any.

    The columns of the label and of the site may be given by name.

    Examples
    --------
    >>> parse_stratify("status", "status", None), parse_stratify("scanner", "status", None)
    (('label', []), ('scanner', ['scanner']))
    """
    if stratify == "site" and site is None:
        msg = "--stratify site needs --site COL, the column that holds the sites."
        raise BadOption(msg)
    if stratify is None or stratify in {"label", "site"}:
        return stratify, []
    if stratify in {label, site}:
        return ("label" if stratify == label else "site"), []
    return stratify, [stratify]


def parse_sites(site: str | None, names: str | None, option: str) -> list[str] | None:
    """Return the names in a comma-separated list of sites; None for all sites."""
    if names is None:
        return None
    if site is None:
        msg = f"{option} {names} needs --site COL, the column that holds the sites."
        raise BadOption(msg)
    found = [name.strip() for name in names.split(",") if name.strip()]
    if not found:
        msg = f"{option} must name at least one site; got {names!r}."
        raise BadOption(msg)
    return found
