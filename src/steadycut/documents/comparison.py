"""The content of ``compare.json``: every rule chooses at one hospital and is judged at another."""

from typing import Literal

from pydantic import FiniteFloat

from steadycut.documents.parts import CostsPart, CutOff, Part, Step, schema

# Whether a rule costs less or more than the one that was fixed beforehand.
Against = Literal["less", "more", "cannot tell"]


class ComparedRisks(Part):
    """What was chosen, and its risk at both hospitals with standard errors."""

    score: str
    aggregation: list[Step]
    threshold: CutOff
    risk_external: FiniteFloat
    risk_external_se: FiniteFloat
    risk_validation: FiniteFloat
    risk_validation_se: FiniteFloat
    shift: FiniteFloat
    shift_se: FiniteFloat
    best_external: FiniteFloat


class ComparedSite(Part):
    """What a rule does at one external site; ``trivial`` is the risk without a score there."""

    site: str
    n_patients: int
    risk: FiniteFloat
    trivial: FiniteFloat
    sensitivity: FiniteFloat | None
    specificity: FiniteFloat | None


class ComparedRule(ComparedRisks):
    """One rule; the difference is to the reference rule on the same patients.

    ``against_fixed`` compares its cost at the second hospital with that of the rule that was fixed
    beforehand; None for that rule itself. ``certificate_alone`` holds with confidence 1 - delta for
    one rule that was fixed beforehand. ``certificate_together`` has delta divided by the number of
    rows, so that those of all rows hold together, the smallest included. ``sites`` are there if
    there are several external ones.
    """

    name: str
    rule: str
    selector: str
    operating_value: FiniteFloat | None
    difference: FiniteFloat | None
    difference_se: FiniteFloat | None
    penalty: FiniteFloat
    modulus: FiniteFloat
    flip_rate: FiniteFloat
    flip_rate_se: FiniteFloat
    certificate_alone: FiniteFloat
    certificate_together: FiniteFloat
    sensitivity_external: FiniteFloat | None
    specificity_external: FiniteFloat | None
    against_fixed: Against | None = None
    sites: list[ComparedSite] | None = None


class ComparedCosts(ComparedRisks):
    """Our own rule at one pair of costs."""

    cost_fn: FiniteFloat
    cost_fp: FiniteFloat
    trivial_external: FiniteFloat


class HospitalCounts(Part):
    """How many patients either hospital has."""

    internal: int
    external: int


class ComparisonDocument(Part):
    """Everything in ``compare.json``.

    ``fixed`` is the rule that was fixed beforehand: the first one. The answers ``against_fixed`` of
    all rows hold together with confidence 1 - ``delta``, and so do ``certificate_together`` of all
    rows. ``certificate_alone`` counts for ``fixed`` only.
    """

    schema_: Literal["steadycut.compare/1"] = schema("steadycut.compare/1")
    costs: CostsPart
    patients: HospitalCounts
    trivial_external: FiniteFloat
    seed: int
    reference: str | None
    rows: list[ComparedRule]
    cost_table: list[ComparedCosts]
    warnings: list[str]
    delta: FiniteFloat
    fixed: str
