"""How many labels the next hospital needs, before any of them is seen."""

from pathlib import Path

from steadycut.core.adapt.menu import LARGEST_WEIGHT
from steadycut.core.checks import check_positive, refuse
from steadycut.core.planning.power import members_needed
from steadycut.documents.kinds import load_frozen
from steadycut.documents.parts import CostsPart
from steadycut.documents.plan import SiteLabelsPart, SitePlanPart
from steadycut.documents.rule import FrozenRule
from steadycut.errors import BadOption, argument
from steadycut.study.home import check_cut_off_rule, check_prevalence, home_scores

MENU, ONE = "one of a menu, as adapt chooses", "one cut-off, named beforehand"


def rule_at(given: object) -> FrozenRule:
    """Return the rule, or the one in a file; refuse anything but a rule with one cut-off."""
    rule = load_frozen(Path(given)) if isinstance(given, (str, Path)) else given
    return check_cut_off_rule(rule)


def labels_at_site(
    rule: FrozenRule,
    delta: float,
    power: float,
    *,
    risk: float | None,
    target: float | None,
    prevalence: float | None,
) -> SitePlanPart:
    """Return how many labels certify the target, with and without a choice between cut-offs."""
    stated = check_prevalence(prevalence)
    costs, certificate = rule.costs.plain, rule.certificate
    expected, wanted = certificate.risk, None if certificate.vacuous else certificate.value
    if stated is not None:
        expected = home_scores(rule).smallest_risk(stated[0], costs)
        wanted = CostsPart.of(costs).trivial_risk(stated[0])
    elif risk is None and not certificate.n_patients:
        raise BadOption(
            f"the rule has no certificate, so say which cost to expect: {argument('risk', '0.1')}."
        )
    expected = expected if risk is None else risk
    wanted = wanted if target is None else check_positive("target", target)
    if wanted is None:
        raise BadOption(
            "the rule certifies nothing worth reaching, so say what to certify: "
            f"{argument('target', '0.2')}, an average cost per patient."
        )
    if wanted >= costs.largest:
        refuse("target", f"lie below the larger cost ({costs.largest:g})", wanted)
    shares = {MENU: LARGEST_WEIGHT * delta, ONE: delta}
    error, most, rows = expected / costs.largest, wanted / costs.largest, []
    for cuts, level in shares.items():
        fixed, alone = (members_needed(error, most, level, chance) for chance in (power, None))
        rows += [SiteLabelsPart(cuts=cuts, delta=level, fixed=fixed, without_power=alone)]
    return SitePlanPart(risk=expected, target=wanted, power=power, rows=rows)
