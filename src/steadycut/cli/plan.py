"""``steadycut plan``: how many patients a certificate needs; when a cut-off may change."""

from dataclasses import asdict, dataclass
from pathlib import Path

from steadycut.adaptation.control import OTHERWISE, change_plan
from steadycut.cli import options as opt
from steadycut.cli.options import number, option, whole
from steadycut.cli.output import check_folder, refuse, show, write_folder
from steadycut.cli.results import finish_page
from steadycut.core.planning.power import POWER
from steadycut.documents.change_plan import ALARM, PLAN_FILE
from steadycut.show.words.next_step import COMMAND_LINE
from steadycut.study.labels.needed import rule_at
from steadycut.study.plan import plan


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanOptions:
    """Study to plan."""

    risk: float | None = number("R", "Risk to expect: the true average cost per patient.")
    width: float | None = number("W", "How far the certified risk may lie above it.")
    patients: int | None = whole("N", "All patients; instead of --width.")
    prevalence: float | None = number("P", "Share of patients with the disease, if known.")
    instances: int | None = whole("M", "Instances per patient.")
    icc: float | None = number("RHO", "Intraclass correlation of the instances.")
    pilot: Path | None = option(
        "STUDY", "A study.json: its errors and prevalence instead of --risk."
    )
    at_site: Path | None = option(
        "RULE", "A rule.json: how many labels the next hospital needs, with --risk or --prevalence."
    )
    target: float | None = number(
        "COST", "With --at-site: average cost per patient to certify. [default: as in adapt]"
    )
    sites: int | None = whole("K", "Number of hospitals: what they can promise about the next one.")
    power: float = number("X", "Share of studies that should reach the plan.", default=POWER)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanCertificateOptions:
    """Costs and certificate."""

    cost_fn: float | None = number("X", "Cost of a missed patient. [default: 1]")
    cost_fp: float | None = number("X", "Cost of a false alarm. [default: 1]")
    delta: float | None = number(
        "X", "Failure probability of the certificate. [default: 0.1, or as in the rule]"
    )
    honesty: opt.Honesty = "split"
    certify_size: float = number("X", "Share of patients used to check.", default=0.5)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeOptions:
    """Change-control plan."""

    changes: Path | None = option(
        "RULE",
        "A rule.json: write change_plan.json, which says when its cut-off may change, with "
        "--range, --labels, --margin, --order, and --target and --delta.",
    )
    range: str | None = option("LOW,HIGH", "Where the cut-off must stay.")
    labels: int | None = whole("N", "Labels per attempt at most.")
    margin: float | None = number(
        "X", "How much more than the original rule a version may cost per patient."
    )
    order: str | None = option("COL", "Column that says when a patient came.")
    trigger: list[str] | None = option(
        "TEXT", f"An event that may trigger a change. [default: {ALARM}]"
    )
    otherwise: str = option(
        "|".join(OTHERWISE), "What happens until a version is accepted.", default=OTHERWISE[0]
    )
    benefits: str = option("TEXT", "What a change may bring.", default="")
    risks: str = option("TEXT", "What a change may harm.", default="")


def plan_command(
    study: PlanOptions,
    changes: ChangeOptions,
    certificate: PlanCertificateOptions,
    output: opt.OptionalOutputOptions,
) -> None:
    """Say how many patients a certificate needs.

    Or say which certificate a number of patients gives. Give --risk and --width, or --patients (and
    --risk, if one is expected). With --at-site, say how many labels the next hospital needs to
    certify a cut-off. With --sites, say what so many hospitals promise about the next one. With
    --out, writes plan.json and plan.html. With --changes, writes a change-control plan instead.
    """
    check_folder(output.out)
    if changes.changes is not None:
        write_change_plan(changes.changes, changes, study.target, certificate.delta, output)
        return
    if changes != ChangeOptions():
        refuse(
            "--range, --labels, --margin, --order, --trigger and --otherwise need --changes RULE."
        )
    finish_page(plan(**asdict(study), **asdict(certificate)).describe(), output)


def write_change_plan(
    path: Path,
    asked: ChangeOptions,
    target: float | None,
    delta: float | None,
    output: opt.OptionalOutputOptions,
) -> None:
    """Write when and how the cut-off of a rule may change."""
    out, order, most, margin = output.out, asked.order, asked.labels, asked.margin
    if out is None or order is None or asked.range is None or most is None or margin is None:
        refuse(
            "--changes needs --range LOW,HIGH, --labels N, --margin X, --order COL and --out DIR."
        )
    must_be = "--range must be two cut-offs such as 0.4,0.8"
    low, high = opt.parse_numbers(asked.range, must_be, (2,))
    made = change_plan(
        rule_at(path),
        low=low,
        high=high,
        most_labels=most,
        margin=margin,
        order=order,
        target=target,
        delta=delta,
        triggers=asked.trigger or [ALARM],
        otherwise=asked.otherwise,
        benefits=asked.benefits,
        risks=asked.risks,
    )
    write_folder(out, {PLAN_FILE: made.to_bytes()}, overwrite=output.overwrite)
    where = out / PLAN_FILE
    text = (
        f"The cut-off may move from {low:g} to {high:g}; nothing else may change.\n"
        f"Next: sign it before use: {COMMAND_LINE.call('sign', where)}. After a trigger run "
        f"{COMMAND_LINE.call('adapt_plan', where)}.\nWrote {where}"
    )
    show(made, text, as_json=output.as_json)
