"""What ``steadycut plan --json`` prints: how many patients for which certificate."""

from typing import Final, Literal

from pydantic import Field, FiniteFloat

from steadycut.documents.parts import CostsPart, Part

SCHEMA: Final = "steadycut.plan/1"


class PlannedPart(Part):
    """One bound at one observed risk; None where the search stopped at ``most`` patients."""

    bound: str
    risk: FiniteFloat
    n_certify: int | None
    n_total: int | None
    misses: int | None
    alarms: int | None
    generalization: FiniteFloat | None
    value: FiniteFloat | None
    vacuous: bool | None
    most: int


class PoolingPart(Part):
    """Why instances do not replace patients."""

    instances: int
    icc: FiniteFloat
    design_effect: FiniteFloat
    n_certify: int
    rows: int
    effective_rows: FiniteFloat
    bound: str
    generalization: FiniteFloat
    claimed_generalization: FiniteFloat
    claimed_patients: int


class SiteLabelsPart(Part):
    """How many labels certify a target at the next hospital; None where it is out of reach.

    ``delta`` is the error probability of the cut-off: all of it, or its share in a menu.
    """

    cuts: str
    delta: FiniteFloat
    fixed: int | None
    median: int | None
    most: int | None


class SitePlanPart(Part):
    """The labels that a frozen rule needs at the next hospital."""

    risk: FiniteFloat
    target: FiniteFloat
    power: FiniteFloat
    rows: list[SiteLabelsPart]


class PlanDocument(Part):
    """All certificates that may be planned for."""

    schema_: Literal["steadycut.plan/1"] = Field(default=SCHEMA, alias="schema")
    width: FiniteFloat | None
    patients: int | None
    delta: FiniteFloat
    costs: CostsPart
    prevalence: FiniteFloat | None
    trivial_risk: FiniteFloat | None
    honesty: str
    certify_size: FiniteFloat | None
    from_pilot: bool
    rows: list[PlannedPart]
    pooling: PoolingPart | None
    notes: list[str]
    at_site: SitePlanPart | None = None
