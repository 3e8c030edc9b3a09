"""How many patients a study needs for a certificate."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import ClassVar

from steadycut.core import next_site
from steadycut.core.checks import check_count, check_fraction, check_positive, is_real, refuse
from steadycut.core.confusion import Confusion
from steadycut.core.planning.certificates import (
    PlannedCertificate,
    Pooling,
    Setting,
    certificate_for,
    patients_for,
    pooling_of,
    with_share,
)
from steadycut.core.planning.power import POWER, members_needed
from steadycut.core.records import Costs
from steadycut.documents.plan import PlanDocument, SitePlanPart, SitesPlanPart, SitesPromisePart
from steadycut.documents.reading import read_document, read_json, schema_of
from steadycut.documents.rule import FrozenRule
from steadycut.documents.shown import Shown
from steadycut.documents.study import StudyDocument
from steadycut.errors import BadOption, argument, explains_calls
from steadycut.study.fitted import FittedStudy
from steadycut.study.home import check_prevalence
from steadycut.study.labels.needed import labels_at_site, rule_at

DELTA = 0.1
# Observed risks, in units of the larger cost, when none is given.
TYPICAL_RISKS = (0.0, 0.05, 0.1, 0.2)
LEAST_TOTAL = 2
# More patients than there are people.
MOST_PATIENTS = 10_000_000_000
# In units of the larger cost; the smallest that is not 0.
SMALLEST_RISK = 1e-9

# Plans of their kind, with the options that belong to each; the power belongs to all.
ALONE = {
    "sites": ("delta", "risk", "width"),
    "at_site": ("risk", "prevalence", "target", "delta"),
}

Pilot = FittedStudy | Mapping[str, object] | str | PathLike[str]


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Plan(Shown):
    """The certificates to plan for, one row per bound and risk; that of ``auto`` comes first."""

    setting: Setting
    width: float | None = None
    patients: int | None = None
    from_pilot: bool = False
    rows: tuple[PlannedCertificate, ...] = ()
    powered: tuple[PlannedCertificate, ...] | None = None
    pooling: Pooling | None = None
    at_site: SitePlanPart | None = None
    sites: SitesPlanPart | None = None
    _lists: ClassVar = {"rows": "rows"}

    @property
    def best(self) -> PlannedCertificate:
        """The row of the bound that ``auto`` takes; a plan about hospitals has none."""
        return self.rows[0]

    def describe(self) -> PlanDocument:
        """Return the plan as one typed record."""
        setting = self.setting
        honesty = setting.honesty if self.sites is None else "sites"
        honesty = honesty if self.at_site is None else "menu"
        share = setting.certify_size if honesty == "split" else None
        return PlanDocument.of(self, setting, certify_size=share, honesty=honesty)


@explains_calls
def plan(  # noqa: PLR0913
    *,
    risk: float | None = None,
    width: float | None = None,
    patients: int | None = None,
    delta: float | None = None,
    cost_fn: float | None = None,
    cost_fp: float | None = None,
    prevalence: float | None = None,
    honesty: str = "split",
    certify_size: float = 0.5,
    instances: int | None = None,
    icc: float | None = None,
    pilot: Pilot | None = None,
    at_site: FrozenRule | str | PathLike[str] | None = None,
    target: float | None = None,
    sites: int | None = None,
    power: float = POWER,
) -> Plan:
    """Say how many patients a certificate needs, or which certificate a number of patients gives.

    Parameters
    ----------
    risk
        The true risk; without power, the observed one. With ``patients`` it may be left out: then
        several are shown.
    width
        How far the certified risk may lie above it.
    patients
        Number of all patients of the study, including those who choose the cut-off. Give this or
        ``width``.
    delta
        Failure probability of the certificate. Default: 0.1, or that of the rule.
    cost_fn, cost_fp
        Cost of a missed patient, and of a false alarm. Default: 1, or the costs of the pilot.
    prevalence
        Share of patients with the disease, if known. The plan then says where the certificate
        would be vacuous, and leaves out parts of the risk that cannot occur.
    honesty, certify_size
        As in `fit`. ``uniform`` is planned for one score and one aggregator; for several divide
        ``delta`` by their number.
    instances, icc
        Instances per patient, and their intraclass correlation. The plan then shows why instances
        do not replace patients.
    pilot
        A study, its ``to_dict()`` or the path of its study.json. The risk, its split into misses
        and alarms, and the prevalence are those of its certifying patients.
    at_site
        A frozen rule or its path: how many labels the next hospital needs to certify a cut-off
        with `adapt`. Goes with ``risk``, ``prevalence``, ``target`` and ``delta`` only. The risk
        is then that of the rule, at the stated prevalence if there is one, unless it is given.
    target
        The mean cost to certify there. Default: as in `adapt`.
    sites
        Number of hospitals: what they can promise about the next one, and how many it takes.
        Goes with ``delta`` and ``power``; with ``risk`` and ``width`` also how many patients each
        hospital needs.
    power
        The share of studies that should reach what is planned. With a pilot it is the mean over
        what its patients leave open (assurance). Results without power are returned too.

    Returns
    -------
    Plan

    Notes
    -----
    The certificate is computed from whole numbers of errors: the risk times the patients, rounded
    up. Every larger number of patients is also enough; with unequal costs rounding can make rare
    exceptions, where one error more is counted. A risk may then consist of misses or of alarms.
    Without a pilot the worse of both extremes counts, so that no mixture is assumed.

    Examples
    --------
    >>> needed = plan(risk=0.1, width=0.05)
    >>> needed.best.bound, needed.best.n_certify, needed.best.n_total
    ('clopper-pearson', 132, 263)
    >>> needed.powered[0].n_certify, needed.powered[0].n_total
    (229, 458)
    >>> bought = plan(patients=200, risk=0.1)
    >>> round(bought.best.value, 4)
    0.1499
    """
    given = {name for name, value in locals().items() if value is not None}
    _check_together(given - {"power", "honesty", "certify_size"})
    level = check_fraction("power", power)
    if sites is not None:
        return _for_sites(sites, _first(delta, DELTA), level, risk, width)
    if at_site is not None:
        return _at_site(at_site, delta, level, risk, target, prevalence)
    counts, known = _pilot_counts(pilot)
    costs = Costs(cost_fn=_first(cost_fn, known.cost_fn), cost_fp=_first(cost_fp, known.cost_fp))
    setting = Setting(
        costs=costs,
        delta=_first(delta, DELTA),
        honesty=honesty,
        certify_size=certify_size,
        prevalence=prevalence,
    )
    if counts is not None:
        setting = with_share(setting, counts)
    risks = _risks(risk, counts, costs, needed=width is not None)
    if (width is None) == (patients is None):
        advice = "both. Leave one out." if width is not None else "neither. Give one of them."
        msg = f"a plan needs either {argument('width')} or {argument('patients')}; got {advice}"
        raise BadOption(msg)
    rows = _rows(risks, width, patients, setting, setting.bounds)
    powerful = replace(setting, power=level, pilot=counts)
    powered = _rows(risks, width, patients, powerful, setting.bounds[:1])
    return Plan(
        setting=powerful,
        width=width,
        patients=patients,
        from_pilot=counts is not None,
        rows=rows,
        powered=powered,
        pooling=_pooling(rows, instances, icc, setting),
    )


def _check_together(given: set[str]) -> None:
    """Refuse options that do not belong to the kind of plan that is asked for."""
    kind = next((name for name in ALONE if name in given), None)
    if kind is None and "target" in given:
        raise BadOption(f"{argument('target')} is for {argument('at_site')}; give both.")
    if kind is not None and not given <= {kind, *ALONE[kind]}:
        some = ", ".join(map(argument, ALONE[kind]))
        text = f"{argument(kind)} goes with {some} and {argument('power')} only"
        raise BadOption(f"{text}; leave the other options out.")


def _at_site(
    given: FrozenRule | str | PathLike[str],
    delta: float | None,
    power: float,
    risk: float | None,
    target: float | None,
    prevalence: float | None,
) -> Plan:
    """Return how many labels the next hospital needs."""
    rule = rule_at(given)
    costs, level = rule.costs.plain, _first(delta, rule.certificate.delta)
    expected = None if risk is None else _risks(risk, None, costs, needed=True)[0]
    check_prevalence(prevalence)
    setting = Setting(costs=costs, delta=level, prevalence=prevalence, power=power)
    found = labels_at_site(
        rule, setting.delta, power, risk=expected, target=target, prevalence=prevalence
    )
    return Plan(setting=setting, at_site=found)


def _for_sites(
    sites: int, delta: float, power: float, risk: float | None, width: float | None
) -> Plan:
    """Return what a number of hospitals can promise about the next one."""
    if (risk is None) != (width is None):
        raise BadOption(f"{argument('risk')} and {argument('width')} belong together. Give both.")
    n = check_count("sites", sites, at_least=next_site.LEAST_SITES, at_most=next_site.MOST_NEEDED)
    setting = Setting(costs=Costs(), delta=delta, power=power)
    expected, wanted = risk, None
    if risk is not None:
        expected = _risks(risk, None, setting.costs, needed=True)[0]
        wanted = expected + check_positive("width", width)
    found = SitesPlanPart(
        n_sites=n,
        level=1 - delta,
        risk=expected,
        target=wanted,
        certify=_promises(n, setting, expected, wanted, split=True),
        left_out=_promises(n, setting, expected, wanted, split=False),
        mean_rate=n / (n + 1),
    )
    return Plan(setting=setting, sites=found)


def _promises(
    n: int, setting: Setting, risk: float | None, target: float | None, *, split: bool
) -> SitesPromisePart:
    level, power = 1 - setting.delta, setting.power
    each = next_site.site_delta(n, level, split=split)
    passed = [[True] * (n - failed) + [False] * failed for failed in (0, 1)]
    shares = [next_site.share_of(one, each, setting.delta).at_least for one in passed]
    needed: list[int | None] = [None, None]
    if risk is not None and target is not None and power is not None:
        # The limits of all hospitals are within the target.
        needed = [members_needed(risk, target, each, p) for p in (power ** (1 / n), None)]
    return SitesPromisePart(
        worst=next_site.promise(n, each, split=split),
        share_all=shares[0],
        share_all_but_one=shares[1],
        needed=next_site.sites_needed(level, split=split),
        patients=needed[0],
        patients_without_power=needed[1],
    )


def _rows(
    risks: list[float], width: float | None, patients: int | None, used: Setting, bounds: list[str]
) -> tuple[PlannedCertificate, ...]:
    if width is not None:
        wide = check_positive("width", width)
        return tuple(patients_for(name, risks[0], wide, used) for name in bounds)
    n_total = check_count("patients", patients, at_least=LEAST_TOTAL, at_most=MOST_PATIENTS)
    n = used.n_certify(n_total)
    found = [certificate_for(name, one, n, used) for name in bounds for one in risks]
    return tuple(replace(row, n_total=n_total) for row in found)


def _risks(
    risk: float | None, counts: Confusion | None, costs: Costs, *, needed: bool
) -> list[float]:
    if counts is not None:
        if risk is not None:
            raise BadOption(
                f"{argument('risk')} and {argument('pilot')} both say which risk to expect; leave "
                "one of them out."
            )
        return [counts.risk(costs)]
    if risk is None:
        if needed:
            raise BadOption(
                f"{argument('width')} needs the risk to expect. Give {argument('risk')} or "
                f"{argument('pilot')}."
            )
        return [costs.largest * typical for typical in TYPICAL_RISKS]
    least = SMALLEST_RISK * costs.largest
    if not is_real(risk) or not (risk == 0 or least <= risk < costs.largest):
        refuse("risk", f"lie between 0 and the larger cost ({costs.largest:g})", risk)
    return [float(risk)]


def _pooling(
    rows: tuple[PlannedCertificate, ...], instances: int | None, icc: float | None, setting: Setting
) -> Pooling | None:
    if instances is None and icc is None:
        return None
    if instances is None or icc is None:
        msg = f"{argument('instances')} and {argument('icc')} belong together. Give both."
        raise BadOption(msg)
    if not is_real(icc) or not 0 <= icc <= 1:
        refuse("icc", "lie between 0 and 1", icc)
    per_patient = check_count("instances", instances, at_most=MOST_PATIENTS)
    tried = (pooling_of(row, per_patient, float(icc), setting) for row in rows)
    return next((pooling for pooling in tried if pooling is not None), None)


def _pilot_counts(pilot: Pilot | None) -> tuple[Confusion | None, Costs]:
    """Return the errors of the pilot's certifying patients, and its costs."""
    if pilot is None:
        return None, Costs()
    if isinstance(pilot, FittedStudy):
        return pilot.counts, pilot.options.search.costs.plain
    content = pilot if isinstance(pilot, Mapping) else read_json(Path(pilot), "the pilot")
    try:
        study = read_document(StudyDocument, content)
    except BadOption:
        schema = schema_of(StudyDocument)
        msg = f"the pilot is not a study of schema {schema}. Give the study.json of a fit."
        raise BadOption(msg) from None
    costs = Costs(cost_fn=study.costs.cost_fn, cost_fp=study.costs.cost_fp)
    return study.operating_point.confusion, costs


def _first(given: float | None, otherwise: float) -> float:
    return otherwise if given is None else given
