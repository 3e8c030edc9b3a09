"""``steadycut plan``: how many patients a certificate needs."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

from steadycut.cli import options as opt
from steadycut.cli.options import number, option, whole
from steadycut.cli.output import show
from steadycut.documents.plan import PlanDocument, PlannedPart, PoolingPart
from steadycut.show.columns import columns
from steadycut.show.numbers import count, percent, risk
from steadycut.study.plan import plan


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanOptions:
    """Study to plan."""

    risk: Annotated[float | None, number("R", "Risk that the certifying patients will show.")] = (
        None
    )
    width: Annotated[float | None, number("W", "How far the certified risk may lie above it.")] = (
        None
    )
    patients: Annotated[int | None, whole("N", "All patients; instead of --width.")] = None
    prevalence: Annotated[
        float | None, number("P", "Share of patients with the disease, if known.")
    ] = None
    instances: Annotated[int | None, whole("M", "Instances per patient.")] = None
    icc: Annotated[float | None, number("RHO", "Intraclass correlation of the instances.")] = None
    pilot: Annotated[
        Path | None, option("STUDY", "A study.json: its errors and prevalence instead of --risk.")
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanCertificateOptions:
    """Costs and certificate."""

    cost_fn: Annotated[float | None, number("X", "Cost of a missed patient. [default: 1]")] = None
    cost_fp: Annotated[float | None, number("X", "Cost of a false alarm. [default: 1]")] = None
    delta: opt.Delta = 0.1
    honesty: opt.Honesty = "split"
    certify_size: Annotated[float, number("X", "Share of patients who certify.")] = 0.5


def plan_command(
    study: PlanOptions, certificate: PlanCertificateOptions, as_json: opt.AsJson = False
) -> None:
    """Say how many patients a certificate needs.

    Or say which certificate a number of patients gives. Give --risk and --width, or --patients (and
    --risk, if one is expected).
    """
    document = plan(**asdict(study), **asdict(certificate)).describe()
    show(document, plan_text(document), as_json=as_json)


def plan_text(content: PlanDocument) -> str:
    """Return the plan as a sentence, a table and what it assumes."""
    lines = [headline(content), table(content)]
    if content.pooling is not None:
        lines.append(pooling_text(content.pooling))
    lines += [f"  {note}" for note in content.notes]
    return "\n".join(lines)


def headline(content: PlanDocument) -> str:
    """Return the result for the bound that a study would use."""
    best, confidence = content.rows[0], percent(1 - content.delta)
    if content.width is None:
        certify = "" if best.n_certify is None else f", {best.n_certify} of whom certify"
        return f"Plan: what {content.patients} patients buy{certify}, {confidence} confidence"
    target = f"a risk of at most {risk(best.risk + content.width)}"
    if best.n_certify is None:
        return (
            f"Plan: {target} needs more than {best.most} certifying patients with "
            f"{best.bound}, beyond which is not searched"
        )
    return (
        f"Plan: {best.n_certify} certifying patients, {best.n_total} in all, certify "
        f"{target} ({confidence} confidence) if {risk(best.risk)} is observed"
    )


def table(content: PlanDocument) -> str:
    """Return one row per bound."""
    head = ("bound", "observed", "certify", "in all", "misses", "alarms", "certified", "vacuous")
    return columns([head, *(_cells(row) for row in content.rows)])


def _cells(row: PlannedPart) -> tuple[str, ...]:
    many = f"> {row.most}"
    certify = many if row.n_certify is None else str(row.n_certify)
    texts = [_text(number) for number in (row.n_total, row.misses, row.alarms)]
    vacuous = {None: "-", True: "yes", False: "no"}[row.vacuous]
    value = "-" if row.value is None else risk(row.value)
    return (row.bound, risk(row.risk), certify, *texts, value, vacuous)


def _text(number: int | None) -> str:
    return "-" if number is None else str(number)


def pooling_text(pooling: PoolingPart) -> str:
    """Return why instances do not replace patients."""
    return (
        f"  {pooling.instances} instances a patient do not replace patients: "
        f"{pooling.n_certify} certifying patients stay as many.\n"
        f"    their {pooling.rows} rows are worth {pooling.effective_rows:.0f} independent "
        f"ones (design effect {pooling.design_effect:.1f} at icc {pooling.icc:g}).\n"
        f"    rows counted as patients would claim a margin of "
        f"{risk(pooling.claimed_generalization)} instead of {risk(pooling.generalization)}, "
        f"or {count(pooling.claimed_patients, 'patient')}: not valid."
    )
