"""``steadycut strata``: choose, freeze and certify risk strata from a table of scores."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from steadycut.cli import options as opt
from steadycut.cli.options import option
from steadycut.cli.output import check_folder, refuse
from steadycut.cli.reading import read_tables
from steadycut.cli.results import finish_study
from steadycut.cli.tables import with_data
from steadycut.core.checks import IntArray, shared_values
from steadycut.core.labels import is_number
from steadycut.core.records import PatientScores
from steadycut.core.strata.certify import LOSS_BOUNDS
from steadycut.core.strata.costs import CostMatrix, grade_codes
from steadycut.documents.strata import MOST_GRADES
from steadycut.errors import BadTable
from steadycut.ingest import PatientTable
from steadycut.study.options import USUAL
from steadycut.study.strata import run_strata, strata_options


@dataclass(frozen=True, slots=True, kw_only=True)
class StrataOptions:
    """Strata."""

    rule_out: str | None = option(
        "RATE:X", "Rule out below a cut-off with sensitivity:X or npv:X; needs --rule-in."
    )
    rule_in: str | None = option(
        "RATE:X", "Rule in from a cut-off with specificity:X or ppv:X; needs --rule-out."
    )
    costs: str | None = option(
        "ROWS",
        "What each stratum costs each grade, both ascending: a row for each grade, such as "
        "'0,0.5,1;4,1,0'. Needed without --rule-out.",
    )
    order: str | None = option(
        "LOW,MID,HIGH", "Values of the label, ascending. [default: labels are 0/1]"
    )
    strata: str | None = option("NAME,NAME,...", "Names of the strata, ascending.")
    direction: opt.Direction = USUAL["direction"]
    rule: opt.StableOrErm = USUAL["rule"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LossBoundOptions(opt.CertificateOptions):
    """Certificate."""

    bound: str = option(
        "NAME", f"auto, {', '.join(LOSS_BOUNDS)}, on the cost.", default=USUAL["bound"]
    )
    certify: str | None = option(
        "RATE:X[,RATE:X]",
        "With --rule-out: rates to certify, less strict than to choose. [default: the same]",
    )


def strata_command(
    columns: opt.OneScoreColumns,
    sites: opt.InternalSites,
    strata: StrataOptions,
    search: opt.SearchOptions,
    certificate: LossBoundOptions,
    table: opt.TableOptions,
    output: opt.OutputOptions,
) -> None:
    """Choose ordered risk strata, or rule out and rule in (experimental).

    Writes strata.json (to take to the next hospital), strata-study.json and strata.html.
    """
    check_folder(output.out)
    reading = table.reading(output.out)
    positive, values = columns.positive, names_in(strata.order)
    two_names = None if positive is None else [f"not {positive}", positive]
    asked = opt.study_arguments(strata, search, certificate)
    asked["costs"] = None if strata.costs is None else read_costs(strata.costs)
    asked["strata"] = names_in(strata.strata)
    del asked["order"]
    options = strata_options(**asked, grade_names=two_names if values is None else values)
    order_of = ordered_values(values, positive, options.costs.n_grades)
    label = {"label": None, "attributes": columns.label} if order_of is not None else {}
    request = columns.request(site=sites.site, sites=sites.names(), missing=table.missing, **label)
    read = read_tables(request, reading)
    study = run_strata(*graded_patients(read, columns.label, order_of), options)
    document = with_data(study.describe(), read)
    finish_study(document, study.freeze(), output, reading, read)


def ordered_values(
    order: list[str] | None, positive: str | None, n_grades: int
) -> list[str] | None:
    """Return the values of the label in order; None where labels are 0 and 1."""
    if order is not None and positive is not None:
        refuse("--positive is for two grades, --order for any number; give one of them.")
    if order is None and n_grades > 2:  # noqa: PLR2004
        refuse(
            f"--costs has {n_grades} rows, so --order must name the {n_grades} values of the "
            "label, from low to high."
        )
    return order


# The cost matrix and the grades, from options and tables --------------------------------------


def read_costs(text: str) -> CostMatrix:
    """Return the costs of ``--costs``: rows separated by semicolons.

    Examples
    --------
    >>> read_costs("0, 0.5, 1; 4, 1, 0").values
    array([[0. , 0.5, 1. ],
           [4. , 1. , 0. ]])
    """
    rows = [row.split(",") for row in text.split(";")]
    if not all(is_number(cell) for row in rows for cell in row) or len(set(map(len, rows))) != 1:
        refuse(
            "--costs must hold numbers, a row for each grade and as many columns as strata, such "
            f"as '0,0.5,1;4,1,0'; got {text!r}."
        )
    return CostMatrix([[float(cell) for cell in row] for row in rows])


def names_in(text: str | None) -> list[str] | None:
    """Return the names in an option; None if it was not given."""
    return None if text is None else [name.strip() for name in text.split(",")]


def graded_patients(
    table: PatientTable, label: str, order: Sequence[str] | None
) -> tuple[PatientScores, IntArray]:
    """Return the patients of a table and their grades; without an order labels are 0 and 1."""
    (patients,) = table.patients.values()
    if order is None:
        return patients, patients.known_labels.astype(np.int64)
    grades = code_grades(patients.attributes[label].tolist(), label, order)
    return replace(patients, recipe=replace(patients.recipe, label=label)), grades


def code_grades(texts: Sequence[str], label: str, order: Sequence[str]) -> IntArray:
    """Return the place of each text in the order; numbers compare as numbers.

    Examples
    --------
    >>> code_grades(["mild", "none", "severe"], "grade", ["none", "mild", "severe"])
    array([1, 0, 2])
    """
    if len(set(grade_codes(order, order).tolist())) < len(order):
        refuse(f"--order must name every value once, from low to high; got {','.join(order)}.")
    codes = grade_codes(texts, order)
    others = Counter(text for text, code in zip(texts, codes.tolist(), strict=True) if code < 0)
    if others:
        named = shared_values(others) if len(others) <= MOST_GRADES else "many others"
        raise BadTable(
            f"labels in {label!r} must be among --order {','.join(order)}; {named} "
            f"{'is' if len(others) == 1 else 'are'} there as well. Name all of them in order."
        )
    return codes
