"""``steadycut compare``: every rule chooses at some sites and is judged at others."""

from collections.abc import Sequence

from steadycut.cli import options as opt
from steadycut.cli.output import check_folder, refuse
from steadycut.cli.reading import Reading, read_tables
from steadycut.cli.results import finish_page
from steadycut.cli.tables import with_rows
from steadycut.core.records import PatientScores
from steadycut.errors import argument
from steadycut.ingest import PatientTable, at_sites
from steadycut.io.progress import progress_on_stderr
from steadycut.study.compare import compare
from steadycut.study.options import study_options


def compare_command(
    columns: opt.ColumnOptions,
    sites: opt.TwoSites,
    costs: opt.PrevalenceOptions,
    choice: opt.ChoiceOptions,
    search: opt.StratifiedSearchOptions,
    certificate: opt.BoundOptions,
    table: opt.TableOptions,
    output: opt.OptionalOutputOptions,
) -> None:
    """Choose by every rule at some sites, and judge at others.

    Each rule chooses a cut-off at the internal sites. It is frozen, then judged at the external
    ones. With --out, writes compare.json and compare.html.
    """
    check_folder(output.out)
    within, strata_columns = opt.parse_stratify(search.stratify, columns.label, sites.site)
    options = opt.study_arguments(costs, choice, search, certificate) | {"stratify": within}
    study_options(**options)
    reading = table.reading(output.out)
    read = read_both(reading, columns, sites, table.missing, strata_columns)
    here, there = two_hospitals(read, sites)
    with progress_on_stderr() as progress:
        document = compare(here, there, progress=progress, **options).describe()
    finish_page(with_rows(document, read), output, reading, read)


def read_both(
    reading: Reading,
    columns: opt.ColumnOptions,
    sites: opt.TwoSites,
    missing: str,
    attributes: Sequence[str] = (),
) -> PatientTable:
    """Read the patients at the internal and at the external sites."""
    here, there = sites.names()
    named = None if there is None else [*here, *there]
    request = columns.request(site=sites.site, sites=named, missing=missing, attributes=attributes)
    return read_tables(request, reading)


def two_hospitals(
    table: PatientTable, sites: opt.TwoSites
) -> tuple[list[PatientScores], list[PatientScores]]:
    """Return the patients at the internal and at the external sites."""
    here, there = sites.names()
    several = list(table.patients.values())
    if there is None:
        known = several[0].sites
        there = sorted({*map(str, () if known is None else known)} - {*here})
        if not there:
            refuse(
                f"{argument('external', 'others')} needs a site that is not internal; all sites "
                f"are in {argument('internal')}."
            )
    first, second = ([at_sites(score, sites) for score in several] for sites in (here, there))
    return first, second
