"""``steadycut plan``: how many patients for which certificate."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from steadycut.cli import options as opt
from steadycut.cli.output import show
from steadycut.show.columns import columns
from steadycut.show.numbers import count, percent, risk
from steadycut.study.plan import plan

Risk = Annotated[
    float | None,
    typer.Option(
        metavar="R", parser=opt.number, help="Risk that the certifying patients will show."
    ),
]
Width = Annotated[
    float | None,
    typer.Option(
        metavar="W", parser=opt.number, help="How far the certified risk may lie above it."
    ),
]
Patients = Annotated[
    int | None,
    typer.Option(metavar="N", parser=opt.whole_number, help="All patients; instead of --width."),
]
PlanCostFn = Annotated[
    float | None,
    typer.Option(
        "--cost-fn", metavar="X", parser=opt.number, help="Cost of a missed patient. [default: 1]"
    ),
]
PlanCostFp = Annotated[
    float | None,
    typer.Option(
        "--cost-fp", metavar="X", parser=opt.number, help="Cost of a false alarm. [default: 1]"
    ),
]
Prevalence = Annotated[
    float | None,
    typer.Option(metavar="P", parser=opt.number, help="Share of the diseased, if known."),
]
CertifySize = Annotated[
    float,
    typer.Option(
        "--certify-size", metavar="X", parser=opt.number, help="Share of patients who certify."
    ),
]
Instances = Annotated[
    int | None, typer.Option(metavar="M", parser=opt.whole_number, help="Instances a patient.")
]
Icc = Annotated[
    float | None,
    typer.Option(metavar="RHO", parser=opt.number, help="Intraclass correlation of the instances."),
]
PilotPath = Annotated[
    Path | None,
    typer.Option(
        metavar="STUDY", help="A study.json: its errors and prevalence instead of --risk."
    ),
]


def plan_command(
    risk: Risk = None,
    width: Width = None,
    patients: Patients = None,
    delta: opt.Delta = 0.1,
    cost_fn: PlanCostFn = None,
    cost_fp: PlanCostFp = None,
    prevalence: Prevalence = None,
    honesty: opt.Honesty = "split",
    certify_size: CertifySize = 0.5,
    instances: Instances = None,
    icc: Icc = None,
    pilot: PilotPath = None,
    as_json: opt.AsJson = False,
) -> None:
    """Say how many patients a certificate needs.

    Or say which certificate a number of patients gives. Give --risk and --width, or --patients (and
    --risk, if one is expected).
    """
    content = plan(
        risk=risk,
        width=width,
        patients=patients,
        delta=delta,
        cost_fn=cost_fn,
        cost_fp=cost_fp,
        prevalence=prevalence,
        honesty=honesty,
        certify_size=certify_size,
        instances=instances,
        icc=icc,
        pilot=pilot,
    ).to_dict()
    show(content, plan_text(content), as_json=as_json)


def plan_text(content: Mapping[str, Any]) -> str:
    """Return the plan as a sentence, a table and what it assumes."""
    lines = [headline(content), table(content)]
    if content["pooling"] is not None:
        lines.append(pooling_text(content["pooling"]))
    lines += [f"  {note}" for note in content["notes"]]
    return "\n".join(lines)


def headline(content: Mapping[str, Any]) -> str:
    """Return the answer of the bound that a study would take."""
    best, confidence = content["rows"][0], percent(1 - content["delta"])
    if content["width"] is None:
        certify = "" if best["n_certify"] is None else f", {best['n_certify']} of whom certify"
        return f"Plan: what {content['patients']} patients buy{certify}, {confidence} confidence"
    target = f"a risk of at most {risk(best['risk'] + content['width'])}"
    if best["n_certify"] is None:
        return (
            f"Plan: {target} needs more than {best['most']} certifying patients with "
            f"{best['bound']}, beyond which is not searched"
        )
    return (
        f"Plan: {best['n_certify']} certifying patients, {best['n_total']} in all, certify "
        f"{target} ({confidence} confidence) if {risk(best['risk'])} is observed"
    )


def table(content: Mapping[str, Any]) -> str:
    """Return one row a bound."""
    head = ("bound", "observed", "certify", "in all", "misses", "alarms", "certified", "vacuous")
    return columns([head, *(_cells(row) for row in content["rows"])])


def _cells(row: Mapping[str, Any]) -> tuple[str, ...]:
    many = f"> {row['most']}"
    certify = many if row["n_certify"] is None else str(row["n_certify"])
    texts = [_text(row[name]) for name in ("n_total", "misses", "alarms")]
    vacuous = {None: "-", True: "yes", False: "no"}[row["vacuous"]]
    value = "-" if row["value"] is None else risk(row["value"])
    return (row["bound"], risk(row["risk"]), certify, *texts, value, vacuous)


def _text(number: int | None) -> str:
    return "-" if number is None else str(number)


def pooling_text(pooling: Mapping[str, Any]) -> str:
    """Return why instances do not replace patients."""
    return (
        f"  {pooling['instances']} instances a patient do not replace patients: "
        f"{pooling['n_certify']} certifying patients stay as many.\n"
        f"    their {pooling['rows']} rows are worth {pooling['effective_rows']:.0f} independent "
        f"ones (design effect {pooling['design_effect']:.1f} at icc {pooling['icc']:g}).\n"
        f"    rows counted as patients would claim a margin of "
        f"{risk(pooling['claimed_generalization'])} instead of {risk(pooling['generalization'])}, "
        f"or {count(pooling['claimed_patients'], 'patient')}: not valid."
    )
