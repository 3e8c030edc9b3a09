"""What ``steadycut plan --json`` prints: how many patients for which certificate."""

from typing import Literal

from pydantic import FiniteFloat

from steadycut.core.planning.certificates import PlannedCertificate, Pooling
from steadycut.documents.parts import CostsPart, Part, Record, schema


class SiteLabelsPart(Part):
    """How many labels certify a target at the next hospital; None where it is out of reach.

    ``delta`` is the error probability of the cut-off: all of it, or its share in a menu. ``fixed``
    labels have the power; ``without_power`` are enough if the expected cost is observed.
    """

    cuts: str
    delta: FiniteFloat
    fixed: int | None
    without_power: int | None = None


class SitePlanPart(Part):
    """The labels that a frozen rule needs at the next hospital."""

    risk: FiniteFloat
    target: FiniteFloat
    power: FiniteFloat
    rows: list[SiteLabelsPart]


class SitesPromisePart(Part):
    """What hospitals can promise about the next one, by who chose the cut-off.

    ``worst`` is the probability that the worst hospital's limit holds there. ``share_all`` and
    ``share_all_but_one`` are shares of all hospitals, if all of these pass a test, or all but one.
    ``needed`` hospitals reach the level; None where none do. So many ``patients`` of each hospital
    keep the worst limit within a target with the power, if one was asked for.
    """

    worst: FiniteFloat
    share_all: FiniteFloat
    share_all_but_one: FiniteFloat
    needed: int | None
    patients: int | None = None
    patients_without_power: int | None = None


class SitesPlanPart(Part):
    """A number of hospitals: if they check what others chose, and if each is left out in turn.

    ``mean_rate`` is the largest X of the rule sensitivity:X@next-site.
    """

    n_sites: int
    level: FiniteFloat
    risk: FiniteFloat | None = None
    target: FiniteFloat | None = None
    certify: SitesPromisePart
    left_out: SitesPromisePart
    mean_rate: FiniteFloat


class PlanDocument(Part):
    """All certificates that may be planned for.

    ``rows`` are what is certified if the expected risk is observed. ``powered`` is the certificate
    that the share ``power`` of studies reaches, with the bound that a study takes.
    """

    schema_: Literal["steadycut.plan/1"] = schema("steadycut.plan/1")
    width: FiniteFloat | None
    patients: int | None
    delta: FiniteFloat
    costs: CostsPart
    prevalence: FiniteFloat | None
    trivial_risk: FiniteFloat | None
    honesty: str
    certify_size: FiniteFloat | None
    from_pilot: bool
    rows: list[Record[PlannedCertificate]]
    pooling: Record[Pooling] | None
    at_site: SitePlanPart | None = None
    sites: SitesPlanPart | None = None
    power: FiniteFloat | None = None
    powered: list[Record[PlannedCertificate]] | None = None
