"""``steadycut strata``: choose, freeze and certify risk strata from a table of scores."""

from dataclasses import dataclass

from steadycut.cli import options as opt
from steadycut.cli.options import option, whole
from steadycut.cli.output import check_folder
from steadycut.cli.reading import read_tables
from steadycut.cli.results import finish_page
from steadycut.cli.strata_tables import graded_patients, names_of, read_costs
from steadycut.cli.tables import row_counts, with_rows
from steadycut.core.strata.certify import LOSS_BOUNDS
from steadycut.errors import BadOption
from steadycut.io.log import this_run
from steadycut.show.pages.strata import strata_page
from steadycut.study.strata.fit import run_strata
from steadycut.study.strata.options import strata_options


@dataclass(frozen=True, slots=True, kw_only=True)
class StrataOptions:
    """Strata."""

    costs: str = option(
        "ROWS|FILE.csv",
        "What each stratum costs each grade, both ascending: a row for each grade, such as "
        "'0,0.5,1;4,1,0'; or a CSV file, perhaps with names.",
    )
    order: str | None = option(
        "LOW,MID,HIGH", "Values of the label, ascending. [default: labels are 0/1]", default=None
    )
    strata: str | None = option("NAME,NAME,...", "Names of the strata, ascending.", default=None)
    n_thresholds: int | None = whole(
        "K",
        "Number of boundaries; a check of --costs, which has one column more.",
        "--thresholds",
        default=None,
    )
    direction: opt.Direction = "ge"
    rule: opt.StableOrErm = "stable"


@dataclass(frozen=True, slots=True, kw_only=True)
class LossBoundOptions(opt.CertificateOptions):
    """Certificate."""

    bound: str = option("NAME", f"auto, {', '.join(LOSS_BOUNDS)}, on the cost.", default="auto")


def strata_command(
    columns: opt.OneScoreColumns,
    sites: opt.InternalSites,
    strata: StrataOptions,
    search: opt.SearchOptions,
    certificate: LossBoundOptions,
    table: opt.TableOptions,
    output: opt.OutputOptions,
) -> None:
    """Choose ordered risk strata, all boundaries at once.

    Writes strata.json (to take to the next hospital), strata-study.json and strata.html.
    """
    check_folder(output.out)
    reading = table.reading(output.out)
    priced = read_costs(strata.costs)
    positive = columns.positive
    values = names_of("--order", strata.order, priced.grades)
    options = strata_options(
        priced.matrix,
        n_thresholds=strata.n_thresholds,
        strata=names_of("--strata", strata.strata, priced.strata),
        grade_names=values if values is not None else _two_names(positive),
        rule=strata.rule,
        direction=strata.direction,
        **opt.study_arguments(search, certificate),
    )
    order_of = ordered_values(values, positive, priced.matrix.n_grades)
    label = {"label": None, "attributes": columns.label} if order_of is not None else {}
    request = columns.request(site=sites.site, sites=sites.names(), missing=table.missing, **label)
    found = read_tables(request, reading)
    study = run_strata(*graded_patients(found, columns.label, order_of), options)
    document = study.describe().model_copy(update={"data": row_counts(found)})
    page = strata_page(with_rows(document, found))
    frozen = study.freeze()
    this_run().rule_sha256 = frozen.document.sha256
    files = {"strata.json": frozen.to_bytes()}
    finish_page(page, "strata.html", output, reading, found, files)


def _two_names(positive: str | None) -> list[str] | None:
    return None if positive is None else [f"not {positive}", positive]


def ordered_values(
    order: list[str] | None, positive: str | None, n_grades: int
) -> list[str] | None:
    """Return the values of the label in order; None where labels are 0 and 1."""
    if order is not None and positive is not None:
        msg = (
            "--positive is for two grades, --order (or the names in the file of --costs) for any "
            "number; give one of them."
        )
        raise BadOption(msg)
    if order is None and n_grades > 2:  # noqa: PLR2004
        msg = (
            f"--costs has {n_grades} rows, so --order must name the {n_grades} values of the "
            "label, from low to high."
        )
        raise BadOption(msg)
    return order
