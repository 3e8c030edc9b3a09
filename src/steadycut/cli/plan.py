"""``steadycut plan``: how many patients a certificate needs."""

from dataclasses import asdict, dataclass
from pathlib import Path

from steadycut.cli import options as opt
from steadycut.cli.options import number, option, whole
from steadycut.cli.output import check_folder
from steadycut.cli.results import finish_page
from steadycut.show.pages.plan import plan_page
from steadycut.study.plan import plan


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanOptions:
    """Study to plan."""

    risk: float | None = number(
        "R", "Risk that the patients used to check will show.", default=None
    )
    width: float | None = number("W", "How far the certified risk may lie above it.", default=None)
    patients: int | None = whole("N", "All patients; instead of --width.", default=None)
    prevalence: float | None = number(
        "P", "Share of patients with the disease, if known.", default=None
    )
    instances: int | None = whole("M", "Instances per patient.", default=None)
    icc: float | None = number("RHO", "Intraclass correlation of the instances.", default=None)
    pilot: Path | None = option(
        "STUDY", "A study.json: its errors and prevalence instead of --risk.", default=None
    )
    at_site: Path | None = option(
        "RULE",
        "A rule.json: how many labels the next hospital needs, with --risk or --prevalence.",
        default=None,
    )
    target: float | None = number(
        "COST",
        "With --at-site: average cost per patient to certify. [default: as in adapt]",
        default=None,
    )
    sites: int | None = whole(
        "K", "Number of hospitals: what they can promise about the next one.", default=None
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanCertificateOptions:
    """Costs and certificate."""

    cost_fn: float | None = number("X", "Cost of a missed patient. [default: 1]", default=None)
    cost_fp: float | None = number("X", "Cost of a false alarm. [default: 1]", default=None)
    delta: float | None = number(
        "X",
        "Failure probability of the certificate. [default: 0.1, or as in the rule]",
        default=None,
    )
    honesty: opt.Honesty = "split"
    certify_size: float = number("X", "Share of patients used to check.", default=0.5)


def plan_command(
    study: PlanOptions,
    certificate: PlanCertificateOptions,
    output: opt.OptionalOutputOptions,
) -> None:
    """Say how many patients a certificate needs.

    Or say which certificate a number of patients gives. Give --risk and --width, or --patients (and
    --risk, if one is expected). With --at-site, say how many labels the next hospital needs to
    certify a cut-off. With --sites, say what so many hospitals promise about the next one. With
    --out, writes plan.json and plan.html.
    """
    if output.out is not None:
        check_folder(output.out)
    page = plan_page(plan(**asdict(study), **asdict(certificate)).describe())
    finish_page(page, "plan.html", output)
