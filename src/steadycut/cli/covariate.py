"""``steadycut covariate``: cut-offs by group, or along a number, frozen and certified."""

from dataclasses import dataclass
from typing import Annotated

from steadycut.cli import options as opt
from steadycut.cli.options import option
from steadycut.cli.output import check_folder, show, to_json, write_folder
from steadycut.cli.reading import read_tables
from steadycut.cli.tables import note_dropped, row_counts
from steadycut.core.checks import check_choice
from steadycut.core.covariate.design import KINDS
from steadycut.documents.covariate_study import CovariateStudyDocument
from steadycut.documents.parts import CertificatePart
from steadycut.show.columns import aligned, columns, numbers, percents
from steadycut.show.numbers import count, cut, percent, risk
from steadycut.study.covariate.fit import RULES, fit_by_covariate


@dataclass(frozen=True, slots=True, kw_only=True)
class CovariateOptions:
    """Covariate and cut-offs."""

    covariate: Annotated[
        str, option("COL", "Column of the covariate, the same in all rows of a patient.")
    ]
    kind: Annotated[
        str,
        option("groups|smooth", "groups: one cut-off per group; smooth: a function of a number."),
    ] = "groups"
    rule: opt.StableOrErm = "stable"
    direction: opt.Direction = "ge"
    n_bootstrap: opt.Bootstrap = 200
    seed: opt.Seed = 0


def covariate_command(
    columns: opt.OneScoreColumns,
    sites: opt.InternalSites,
    costs: opt.CostOptions,
    by: CovariateOptions,
    certificate: opt.CertificateOptions,
    table: opt.TableOptions,
    output: opt.OutputOptions,
) -> None:
    """Choose cut-offs that depend on a group or a number.

    Writes covariate.json (to take to the next hospital) and covariate_study.json.
    """
    check_folder(output.out)
    check_choice("kind", by.kind, KINDS)
    check_choice("rule", by.rule, RULES)
    request = columns.request(
        site=sites.site, sites=sites.names(), missing=table.missing, attributes=by.covariate
    )
    reading = table.reading(output.out)
    found = read_tables(request, reading)
    (patients,) = found.patients.values()
    arguments = opt.study_arguments(costs, by, certificate)
    study = fit_by_covariate(
        patients,
        name=by.covariate,
        **{**arguments, "covariate": patients.attributes[by.covariate]},
    )
    document = study.describe().model_copy(update={"data": row_counts(found)})
    files = {
        "covariate.json": study.freeze().to_bytes(),
        "covariate_study.json": to_json(document),
    }
    write_folder(output.out, files)
    reading.remove_checkpoint()
    note_dropped(found)
    wrote = f"\n\nWrote covariate.json, covariate_study.json to {output.out}/"
    show(document, covariate_text(document) + wrote, as_json=output.as_json)


def covariate_text(study: CovariateStudyDocument) -> str:
    """Return what was found: cut-offs, test, certificates."""
    blocks = [
        _headline(study),
        _cuts_text(study),
        _test_text(study),
        _certificate_text(study),
        "\n".join(f"Warning: {warning}" for warning in study.warnings),
    ]
    return "\n\n".join(block for block in blocks if block)


def _headline(study: CovariateStudyDocument) -> str:
    sign = ">=" if study.direction == "ge" else "<="
    by = "group of" if study.kind == "groups" else "value of"
    n, costs = study.patients, study.costs
    return (
        f"Cut-offs by {by} {study.covariate}: call a patient when {study.score} {sign} the "
        f"cut-off\n  rule {study.rule}, a miss costs {costs.cost_fn:g} and a false alarm "
        f"{costs.cost_fp:g}; {count(n.select, 'patient')} chose, {n.certify} certify"
    )


def _cuts_text(study: CovariateStudyDocument) -> str:
    rows = study.cuts
    pooled = study.pooled.threshold
    groups = study.kind == "groups"
    cells = {
        study.covariate: [row.at if isinstance(row.at, str) else f"{row.at:.4g}" for row in rows],
        "cut-off": [cut(row.threshold) for row in rows],
        "pooled": [cut(pooled)] * len(rows),
        "alone": [cut(row.own_threshold) for row in rows],
        "weight of alone": percents([row.weight for row in rows]),
    }
    if groups:
        certified = [row.certificate for row in rows]
        cells["risk"] = [risk(one.risk if one else None) for one in certified]
        cells["certified"] = [risk(one.value if one else None) for one in certified]
    note = "" if groups else "\n  In between on a line (in ranks), beyond the ends constant."
    return columns([list(cells), *zip(*cells.values(), strict=True)]) + note


def _test_text(study: CovariateStudyDocument) -> str:
    """Return the test in words."""
    test = study.test
    name, p = study.covariate, test.p_value
    return (
        f"Is one cut-off enough? p = {p:.2g}. Among {count(test.n_patients, 'patient')} around "
        f"the pooled cut-off,\n  those with like scores differ in disease by {name} as much as "
        f"this by chance in {percent(p)} of studies\n  in which the same cut-off is best at every "
        f"{name}. Asked of the choosing patients only."
    )


def _certificate_text(study: CovariateStudyDocument) -> str:
    one, pooled, gap = study.certificate, study.pooled.certificate, study.difference
    sure = percent(1 - one.delta)
    risks, values = numbers([one.risk, pooled.risk]), numbers([one.value, pooled.value])
    proven = "it has less risk" if gap.upper < 0 else "less risk is not proven"
    change = f"{gap.risk:+.3f} ± {gap.standard_error:.3f}"
    rows = [
        ("by covariate", f"{risks[0]}, certified at most {values[0]}{_vacuous(one)}"),
        ("pooled cut-off", f"{risks[1]}, certified at most {values[1]}{_vacuous(pooled)}"),
        ("difference", f"{change}, at most {gap.upper:+.3f}: {proven}"),
    ]
    title = (
        f"Risk on {count(one.n_patients, 'patient')} who did not choose; each line holds with "
        f"{sure} on its own"
    )
    return title + "\n" + aligned(rows)


def _vacuous(certificate: CertificatePart) -> str:
    return " (no better than no score)" if certificate.vacuous else ""
