"""``steadycut covariate``: cut-offs by group, or along a number, frozen and certified."""

from dataclasses import dataclass

from steadycut.cli import options as opt
from steadycut.cli.options import option, required
from steadycut.cli.output import check_folder
from steadycut.cli.reading import read_tables
from steadycut.cli.results import finish_study
from steadycut.cli.tables import with_data
from steadycut.core.checks import check_choice
from steadycut.core.covariate.design import KINDS
from steadycut.study.covariate import RULES, fit_by_covariate
from steadycut.study.options import USUAL


@dataclass(frozen=True, slots=True, kw_only=True)
class CovariateOptions:
    """Covariate and cut-offs."""

    covariate: str = required("COL", "Column of the covariate, the same in all rows of a patient.")
    kind: str = option(
        "groups|smooth",
        "groups: one cut-off per group; smooth: a function of a number.",
        default="groups",
    )
    rule: opt.StableOrErm = USUAL["rule"]
    direction: opt.Direction = USUAL["direction"]
    n_bootstrap: opt.Bootstrap = USUAL["n_bootstrap"]
    seed: opt.Seed = USUAL["seed"]


def covariate_command(
    columns: opt.OneScoreColumns,
    sites: opt.InternalSites,
    costs: opt.CostOptions,
    by: CovariateOptions,
    certificate: opt.CertificateOptions,
    table: opt.TableOptions,
    output: opt.OutputOptions,
) -> None:
    """Choose cut-offs that depend on a group or a number (experimental).

    Writes covariate.json (to take to the next hospital), covariate-study.json and covariate.html.
    """
    check_folder(output.out)
    check_choice("kind", by.kind, KINDS)
    check_choice("rule", by.rule, RULES)
    request = columns.request(
        site=sites.site, sites=sites.names(), missing=table.missing, attributes=by.covariate
    )
    reading = table.reading(output.out)
    read = read_tables(request, reading)
    (patients,) = read.patients.values()
    values = {"name": by.covariate, "covariate": patients.attributes[by.covariate]}
    study = fit_by_covariate(patients, **opt.study_arguments(costs, by, certificate) | values)
    document = with_data(study.describe(), read)
    finish_study(document, study.freeze(), output, reading, read)
