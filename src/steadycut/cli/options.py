"""The options that several commands share, in groups; each option is declared once.

The name of a field is the name of the argument in Python. A flag is given only where the option is
spelled in another way. The default of an option of `steadycut.fit` is that of `fit`.
"""

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import MISSING, asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any

import typer

from steadycut.cli.commands import OPTION
from steadycut.cli.output import refuse
from steadycut.cli.reading import CHECKPOINT, Reading
from steadycut.core.aggregate.aggregators import aggregator_names
from steadycut.core.bounds.concentration import BOUNDS
from steadycut.core.rules.registry import rule_names
from steadycut.documents.known_patients import check_key
from steadycut.errors import BadOption, BadTable, refusing
from steadycut.errors import argument as marked
from steadycut.ingest import Request, make_request
from steadycut.ingest.engines.choose import ENGINES, check_engine, parse_memory
from steadycut.ingest.join import PATTERNS
from steadycut.ingest.request import SAME
from steadycut.ingest.sources.find import find_files
from steadycut.io.files import read_small, reserve
from steadycut.study.operating_point import CONFIDENCE
from steadycut.study.options import USUAL

# All sites but those to choose on.
OTHERS = "others"


def option(
    metavar: str,
    help_: str,
    *flags: str,
    default: Any = None,
    parser: Callable[[str], Any] | None = None,
    values: Sequence[str] = (),
) -> Any:
    """Declare an option that may be left out; without flags it has the name of its field.

    It stands where the default of a field does, or in the annotation of one that is declared once
    for several groups. A shell completes the ``values``, or those that the placeholder lists.
    """
    known = values or choices(metavar)

    def complete(incomplete: str) -> list[str]:
        return [value for value in known if value.startswith(incomplete)]

    declared = typer.Option(
        *flags,
        metavar=metavar,
        parser=parser,
        help=help_,
        autocompletion=complete if known else None,
    )
    return field(default=default, metadata={OPTION: declared})


def required(metavar: str, help_: str) -> Any:
    """Declare an option that must be given."""
    return option(metavar, help_, default=MISSING)


def choices(metavar: str) -> tuple[str, ...]:
    """Return the allowed values where a placeholder lists them all.

    Examples
    --------
    >>> choices("ge|le"), choices("N|exact")
    (('ge', 'le'), ())
    """
    several = metavar.split("|")
    return tuple(several) if len(several) > 1 and metavar == metavar.lower() else ()


def number(metavar: str, help_: str, *flags: str, default: Any = None) -> Any:
    """Declare an option that takes a number."""
    return option(metavar, help_, *flags, default=default, parser=reader_of(float, "a number"))


def whole(metavar: str, help_: str, *flags: str, default: Any = None) -> Any:
    """Declare an option that takes a whole number."""
    return option(metavar, help_, *flags, default=default, parser=reader_of(int, "a whole number"))


def switch(flag: str, help_: str) -> Any:
    """Declare an option that is on or off; in a group it is off unless given."""
    return field(default=False, metadata={OPTION: typer.Option(flag, help=help_)})


def argument(metavar: str, help_: str) -> Any:
    """Declare an argument, which has a place and no flag."""
    return field(metadata={OPTION: typer.Argument(metavar=metavar, help=help_)})


def reader_of(kind: type[float], name: str) -> Callable[[str], float]:
    """Return what reads a number; unlike typer's own message, its message repeats the text."""

    def read(text: str) -> float:
        try:
            return kind(text)
        except ValueError:
            raise typer.BadParameter(f"it must be {name}; got {text!r}.") from None

    return read


ILL = "The label that means ill. [default: labels are 0/1]"
Positive = Annotated[str | None, option("VALUE", ILL)]
LABELLED = "same: all rows of a patient have the same label; any: one row labelled ill decides."
LabelHow = Annotated[str, option("same|any", LABELLED)]
Direction = Annotated[str, option("ge|le", "ge: high scores mean ill, le: low scores mean ill.")]
BETWEEN = "Level between rows and patients, innermost first."
Level = Annotated[list[str] | None, option("COL:AGG", BETWEEN, "--level")]
OVER_ROWS = "over the rows of a patient; several are compared. [default: mean]"
AGGREGATORS = aggregator_names()
AGGREGATED = f"{', '.join(AGGREGATORS)}, {OVER_ROWS}"
Aggregate = Annotated[list[str] | None, option("AGG", AGGREGATED, values=AGGREGATORS)]
Site = Annotated[str | None, option("COL", "Column of sites.")]
HONESTY = "split: some choose, the others certify; uniform: everybody does both."
Honesty = Annotated[str, option("split|uniform", HONESTY)]
Delta = Annotated[float, number("X", "Failure probability of the certificate.")]
Bootstrap = Annotated[int, whole("N", "Number of bootstrap cohorts.", "--bootstrap")]
Seed = Annotated[int, whole("N", "Seed; the same table, options and seed give the same bytes.")]
StableOrErm = Annotated[str, option("stable|erm", "How a cut is chosen.")]
MISSING_ROWS = "refuse, or drop (and count) rows without a score and patients without a label."
Missing = Annotated[str, option("refuse|drop", MISSING_ROWS)]
WITHOUT_SCORE = "What is done to a patient of whom no row has a score; it is frozen with the rule."
Unscored = Annotated[str, option("refuse|call|leave", WITHOUT_SCORE)]
REMEMBERED = "A secret of at least 16 bytes by which patients are remembered."
PatientKey = Annotated[Path | None, option("FILE", REMEMBERED, "--patient-key")]
AsJson = Annotated[bool, switch("--json", "Print one JSON object and nothing else.")]
Verbose = Annotated[bool, switch("--verbose", "Print everything, not only the answer.")]
Overwrite = Annotated[bool, switch("--overwrite", "Replace results of another study in --out.")]
OutFolder = Annotated[Path, option("DIR", "Where to write.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class TableOptions:
    """Reading the table."""

    tables: list[str] = argument(
        "TABLE",
        "CSV, Excel, Parquet, Feather, .h5ad or .zip files, a pattern, or a folder of Parquet.",
    )
    missing: Missing = "refuse"
    delimiter: str | None = option(
        "CHAR", "Separator of CSV files: , ; | or tab. [default: as the header tells]"
    )
    decimal: str = option(".|,", "Decimal sign of scores that are written as text.", default=".")
    engine: str = option(
        "NAME",
        f"auto, {', '.join(f'{name} ({known.about})' for name, known in ENGINES.items())}; the "
        "result is the same.",
        default="auto",
        values=("auto", *ENGINES),
    )
    memory: str | None = option("SIZE", "About how much memory rows may take. [default: 2GiB]")
    sheet: str | None = option(
        "FILE", "Second table, by slide, image or patient, for columns that TABLE does not have."
    )
    on: str | None = option(
        "COL|COL=COL",
        "Column that joins both; its name in TABLE, and in --sheet. [default: guessed]",
    )
    patient_from: str | None = option(
        "PATTERN",
        f"Patients are named in the column of patients: {', '.join(PATTERNS)}, or a regular "
        "expression with one group.",
        values=tuple(PATTERNS),
    )
    file_column: str | None = option(
        "NAME", "Name of a column with the name of each row's file, such as one CSV per slide."
    )
    resume: bool = switch("--resume", "Continue the aggregation that was interrupted in --out.")

    def reading(self, out: Path | None) -> Reading:
        """Check how to read the tables; a checkpoint goes into the folder of the results."""
        check_engine(self.engine)
        with suppress(BadTable):  # what is wrong with a table is said when it is read
            files = find_files([*self.tables, *filter(None, [self.sheet])])
            reserve(file.path for file in files)
        given = asdict(self) | {"memory": parse_memory(self.memory)}
        paths, place = tuple(given.pop("tables")), None if out is None else out / CHECKPOINT
        del given["missing"]
        return Reading(paths=paths, checkpoint=place, **given)


@dataclass(frozen=True, slots=True, kw_only=True)
class PatientColumns:
    """Columns of the table."""

    patient: str | None = option(
        "COL", "Column that identifies patients. [default: each row is one]"
    )
    label: str = required("COL", "Column of labels.")
    positive: Positive = None
    label_how: LabelHow = SAME
    levels: Level = None

    def request(self, **more: Any) -> Request:
        """Ask for every candidate: each score column with each aggregator."""
        asked = asdict(self)
        how = asked.pop("aggregate") or ["mean"]
        return make_request(**{**asked, "how": how, "levels": self.levels or (), **more})


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnOptions(PatientColumns):
    """Columns of the table."""

    score: list[str] = required(
        "COL", "Column of instance scores; several are compared as methods."
    )
    aggregate: Aggregate = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FitColumns(ColumnOptions):
    """Columns of the table."""

    label: str | None = option(  # type: ignore[assignment]
        "COL", "Column of labels; or give --time, --event and --horizon."
    )
    time: str | None = option(
        "COL", "Survival: column that says how long each patient was followed."
    )
    event: str | None = option(
        "COL", "Survival: column that says whether the event happened (1) or not (0)."
    )
    horizon: float | None = number(
        "H", "Survival: who has the event by then? In the unit of --time."
    )
    unscored: Unscored = "refuse"

    def request(self, **more: Any) -> Request:
        """Ask for every candidate; the label may be made from time, event and horizon."""
        survival = (self.time, self.event, self.horizon)
        if self.label is None and all(given is None for given in survival):
            refuse(
                f"{marked('label')} is missing. Survival needs {marked('time')}, "
                f"{marked('event')} and {marked('horizon')} instead."
            )
        return ColumnOptions.request(self, **more)


@dataclass(frozen=True, slots=True, kw_only=True)
class OneScoreColumns(PatientColumns):
    """Columns of the table."""

    score: str = required("COL", "Column of instance scores.")
    aggregate: str = option("AGG", "How the rows of a patient become one score.", default="mean")


@dataclass(frozen=True, slots=True, kw_only=True)
class InternalSites:
    """Sites."""

    site: Site = None
    internal: str | None = option("NAME[,NAME]", "Sites to choose on. [default: all]")

    def names(self) -> list[str] | None:
        """Return the sites to choose on; None for all."""
        return parse_sites(self.site, self.internal, "internal")


@dataclass(frozen=True, slots=True, kw_only=True)
class NextSiteOptions:
    """Next hospital, where there are several sites."""

    sites_certify: str | None = option(
        "NAME[,NAME]",
        "Sites that check the cut-off; all others choose it. [default: every site does both]",
    )
    prevalence_there: str | None = option(
        "P|LOW,HIGH", "Prevalence at the next hospital, or a range, for its cost."
    )
    cost_there: float | None = number(
        "COST",
        "Average cost, fixed before you look: at which share of hospitals is it at most this?",
    )

    def arguments(self, site: str | None) -> dict[str, Any]:
        """Return the options as `study_options` takes them; ``site`` is the column of sites."""
        needs_site(site, "prevalence_there", self.prevalence_there)
        needs_site(site, "cost_there", self.cost_there)
        return {
            "sites_certify": parse_sites(site, self.sites_certify, "sites_certify"),
            "prevalence_there": parse_prevalence(self.prevalence_there, "prevalence_there"),
            "cost_there": self.cost_there,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoSites:
    """Sites."""

    site: str = required("COL", "Column of sites.")
    internal: str = required("NAME[,NAME]", "Sites to choose on.")
    external: str = required(
        "NAME[,NAME]|others", "Sites to judge on; others: all that are not internal."
    )

    def names(self) -> tuple[list[str], list[str] | None]:
        """Return the sites to choose on, and those to judge on; None for all others."""
        here = parse_sites(self.site, self.internal, "internal")
        named = None if self.external == OTHERS else self.external
        return here or [], parse_sites(self.site, named, "external")


@dataclass(frozen=True, slots=True, kw_only=True)
class CostOptions:
    """Costs."""

    cost_fn: float = number("X", "Cost of a missed patient.", default=USUAL["cost_fn"])
    cost_fp: float = number("X", "Cost of a false alarm.", default=USUAL["cost_fp"])


@dataclass(frozen=True, slots=True, kw_only=True)
class PrevalenceOptions(CostOptions):
    """Costs and prevalence."""

    target_prevalence: str | None = option(
        "P|LOW,HIGH",
        "Prevalence at which risk counts, or a range: then its worse end. [default: as found]",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceOptions:
    """Choosing the cut-off."""

    direction: Direction = USUAL["direction"]
    selector: str = option(
        "HOW",
        "How one of several candidates is chosen: risk, objective (Algorithm 1's J) or no-bias.",
        default=USUAL["selector"],
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class FitChoiceOptions(ChoiceOptions):
    """Choosing the cut-off."""

    rule: str = option(
        "RULE",
        "stable, erm, logistic, sensitivity:X, ppv:X, ...: `steadycut rules` lists them.",
        default=USUAL["rule"],
        values=rule_names(),
    )
    ensemble: str | None = option(
        "quantile|gls",
        "Average all scores and aggregators on the quantile scale, with equal or GLS weights. "
        "[default: choose one]",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchOptions:
    """Bootstrap and grid."""

    n_bootstrap: Bootstrap = USUAL["n_bootstrap"]
    grid: str = option(
        "exact|even|N",
        "Cut-offs to try: all of them (exact), the paper's 200 at even distances (even), or N.",
        default=USUAL["grid"],
    )
    seed: Seed = USUAL["seed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StratifiedSearchOptions(SearchOptions):
    """Bootstrap and grid."""

    stratify: str | None = option(
        "label|site|COL",
        "Resample patients within labels, sites or the values of a column that is the same in "
        "all rows of a patient. [default: all together]",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CertificateOptions:
    """Certificate."""

    delta: Delta = USUAL["delta"]
    one_per_patient: bool = switch(
        "--one-per-patient", "Each slide, image or record that --patient names is of one patient."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundOptions(CertificateOptions):
    """Certificate."""

    honesty: Honesty = USUAL["honesty"]
    stratified: bool = switch(
        "--stratified",
        "Split each class evenly: half to choose, half to check; with --target-prevalence.",
    )
    bound: str = option(
        "NAME",
        f"auto, {', '.join(BOUNDS)}; scan, compression and class-wise-dkw "
        "need --honesty uniform, the class-wise ones --target-prevalence.",
        default=USUAL["bound"],
        values=("auto", *BOUNDS),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class FitBoundOptions(BoundOptions):
    """Certificate."""

    test_size: float | None = number(
        "SHARE|N",
        "Hold out patients (a share or a number) who neither choose nor check; the frozen cut-off "
        "is shown on them. [default: nobody]",
    )
    certify: str | None = option(
        "RATE:X[,RATE:X]",
        "Certify rates too: sensitivity:0.90, specificity:0.80 or both, at least these values. "
        "[default: the cost only]",
    )
    certify_cost: float | None = number(
        "X",
        "Certify that the average cost per patient is at most X, fixed before the patients are "
        "seen. [default: nothing is asked]",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RememberOptions:
    """Remembering patients."""

    remember_patients: bool = switch(
        "--remember-patients",
        "Put salted hashes of the identifiers into the rule, to refuse these patients later.",
    )
    key: PatientKey = None

    def arguments(self) -> dict[str, Any]:
        """Return how a rule remembers its patients, as `Study.freeze` takes it."""
        if self.key is not None and not self.remember_patients:
            refuse("--patient-key is for --remember-patients; give both, or neither.")
        return {"remember_patients": self.remember_patients, "key": read_key(self.key)}


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionalOutputOptions:
    """Output."""

    out: Path | None = option("DIR", "Where to write. [default: nowhere]")
    overwrite: Overwrite = False
    as_json: AsJson = False
    verbose: Verbose = False


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputOptions(OptionalOutputOptions):
    """Output."""

    out: OutFolder


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportOptions(OutputOptions):
    """Output."""

    confidence: float = number(
        "X", "Confidence of the intervals of the operating point.", default=CONFIDENCE
    )
    small_cells: int | None = whole("N", "Write no number that stands for fewer than N patients.")


def study_arguments(*groups: Any) -> dict[str, Any]:
    """Return the options in groups as `study_options` takes them."""
    arguments = {name: value for group in groups for name, value in asdict(group).items()}
    if "grid" in arguments:
        arguments["grid"] = parse_grid(arguments["grid"])
    if "target_prevalence" in arguments:
        arguments["target_prevalence"] = parse_prevalence(arguments["target_prevalence"])
    return arguments


def read_key(path: Path | None) -> bytes | None:
    """Return the secret in a file, without spaces and line ends around it."""
    if path is None:
        return None
    msg = f"cannot read --patient-key {path}: {{why}}. Check the path."
    with refusing(BadOption, msg, OSError):
        return check_key(read_small(path).strip())


def parse_grid(text: str) -> int | str:
    """Return the number of cuts if it is one, otherwise the text, which is checked later."""
    try:
        return int(text)
    except ValueError:
        return text


def parse_numbers(text: str, must_be: str, sizes: Sequence[int] = ()) -> tuple[float, ...]:
    """Return numbers that commas separate; there may be any number of them, or one of ``sizes``."""
    try:
        numbers = tuple(float(part) for part in text.split(","))
    except ValueError:
        numbers = ()
    if not numbers or (sizes and len(numbers) not in sizes):
        refuse(f"{must_be}; got {text!r}.")
    return numbers


def parse_prevalence(
    text: str | None, name: str = "target_prevalence"
) -> float | tuple[float, float] | None:
    """Return a prevalence, or the two ends of a range."""
    if text is None:
        return None
    low, *high = parse_numbers(text, f"{marked(name)} must be a number, or two as LOW,HIGH", (1, 2))
    return (low, high[0]) if high else low


def parse_stratify(
    stratify: str | None, label: str | None, site: str | None
) -> tuple[str | None, list[str]]:
    """Return what patients are resampled within, and the column to read for it, if any.

    The columns of the label and of the site may be given by name.

    Examples
    --------
    >>> parse_stratify("status", "status", None), parse_stratify("scanner", "status", None)
    (('label', []), ('scanner', ['scanner']))
    """
    needs_site(site, "stratify", "site" if stratify == "site" else None)
    if stratify is None or stratify in {"label", "site"}:
        return stratify, []
    if stratify in {label, site}:
        return ("label" if stratify == label else "site"), []
    return stratify, [stratify]


# A name in double quotes, or up to the next comma.
NAME_IN_LIST = re.compile(r'\s*"([^"]+)"\s*(?:,|$)|([^,]+)')


def needs_site(site: str | None, option: str, given: object) -> None:
    """Refuse an option that says something about sites, if no column of sites is named."""
    if given is not None and site is None:
        column = f"{marked('site', 'COL')}, the column that holds the sites"
        refuse(f"{marked(option)} {given} needs {column}.")


def parse_sites(site: str | None, names: str | None, option: str) -> list[str] | None:
    """Return the names in a comma-separated list of sites; None for all sites.

    A name with a comma is put into double quotes.
    """
    if names is None:
        return None
    needs_site(site, option, names)
    listed = (quoted or plain for quoted, plain in NAME_IN_LIST.findall(names))
    sites = [name.strip() for name in listed if name.strip()]
    if not sites:
        refuse(f"{marked(option)} must name at least one site; got {names!r}.")
    return sites
