"""Replay a chain of versions from the files alone: what holds, and what does not."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from steadycut.core.adapt.control import Claims, attempt_delta
from steadycut.documents.change_plan import ALARM, ChangePlan, ChangeVersion, TriedPart, read_sealed
from steadycut.documents.rule import FrozenRule
from steadycut.errors import BadOption, BadRuleFile, SteadycutError, refusing

# By how much numbers may differ on another machine.
ROUNDING = 1e-9
STATED = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """One file of a chain: the plan, a version, or a rule; ``wrong`` is what does not hold.

    ``without_rule`` says that the rule of a version was not given, so that it was not checked.
    """

    name: str
    plan: ChangePlan | None = None
    version: ChangeVersion | None = None
    wrong: tuple[str, ...] = ()
    without_rule: bool = False

    @property
    def holds(self) -> bool:
        """Whether everything holds."""
        return not self.wrong


ALONE = partial(Link, wrong=("no version that was given has this number",))


def claims_of(plan: ChangePlan) -> Claims:
    """Return what the labels must show of a version."""
    protocol = plan.modification_protocol
    costs = plan.original.costs.as_costs()
    return Claims(costs=costs, target=protocol.target, margin=protocol.margin)


def allowed_rules(plan: ChangePlan, versions: Iterable[ChangeVersion]) -> set[str | None]:
    """Return the rules that may be changed: the original, and the last accepted version."""
    accepted = [version.rule for version in versions if version.outcome == "accepted"]
    return {plan.original.rule, *accepted[-1:]}


def named_trigger(plan: ChangePlan, trigger: str) -> bool:
    """Whether the plan names a trigger; more words may follow it."""
    return any(trigger.startswith(name) for name in plan.modification_protocol.triggers)


def in_force(plan: ChangePlan) -> str:
    """Return what is in force while no version is accepted: a rule by its hash, or a word."""
    otherwise = plan.impact_assessment.otherwise
    return plan.original.rule if otherwise == "original" else otherwise


def same_menu(version: ChangeVersion, menu: Sequence[tuple[float, float]]) -> bool:
    """Whether a version tried these cut-offs, with these weights."""
    return [(cut.threshold, cut.weight) for cut in version.tried] == list(menu)


def check_chain(plan: ChangePlan, versions: Sequence[ChangeVersion]) -> None:
    """Refuse a chain in which something does not hold."""
    for place, link in enumerate(versions):
        wrong = next(problems(plan, versions[:place], link), None)
        if wrong is not None:
            msg = f"version {place + 1} of the plan does not hold: {wrong}. Use the original files."
            raise BadRuleFile(msg)


def problems(
    plan: ChangePlan,
    before: Sequence[ChangeVersion],
    link: ChangeVersion,
    rule: FrozenRule | None = None,
) -> Iterator[str]:
    """Say everything that does not hold of a version, given those before it."""
    checks = {
        "it follows another plan": link.plan == plan.sha256,
        f"its number is {link.number}, and {len(before) + 1} is the next": link.number
        == len(before) + 1,
        "it does not follow the version before it": link.parent
        == (before[-1].sha256 if before else None),
        "it changes a rule that is neither the original nor the last accepted one": link.rule_before
        in allowed_rules(plan, before),
        "the plan does not name its trigger": named_trigger(plan, link.trigger),
        "an alarm of monitor is not recorded": link.monitor is not None
        or not link.trigger.startswith(ALARM),
    }
    yield from (text for text, holds in checks.items() if not holds)
    yield from _of_attempt(plan, before, link)
    yield from _of_counts(plan, link)
    yield from _of_outcome(plan, link)
    if rule is not None:
        yield from _of_rule(plan, link, rule)


def _of_attempt(
    plan: ChangePlan, before: Sequence[ChangeVersion], link: ChangeVersion
) -> Iterator[str]:
    last = before[-1] if before else None
    menu = [(tried.threshold, tried.weight) for tried in link.tried]
    goes_on = last is not None and link.attempt == last.attempt
    if last is not None and goes_on:
        kept = last.outcome == "open" and last.trigger == link.trigger and same_menu(last, menu)
        fewer = any(
            now < then
            for new, old in zip(link.tried, last.tried, strict=False)
            for now, then in zip(new.cells, old.cells, strict=True)
        )
        if not (kept and link.labels > last.labels) or fewer:
            yield f"attempt {link.attempt} had ended, or goes on otherwise than it began"
    elif link.attempt != (1 if last is None else last.attempt + 1):
        yield f"its attempt is {link.attempt}, which is not the next"
    if not goes_on and any(link.data_sha256 == other.data_sha256 for other in before):
        yield "it uses the labelled patients of an earlier attempt"
    delta = attempt_delta(plan.modification_protocol.delta, link.attempt)
    if not math.isclose(link.delta, delta, rel_tol=ROUNDING):
        yield f"its delta is {link.delta:.6g}, and attempt {link.attempt} has {delta:.6g}"
    if sum(weight for _, weight in menu) > 1 + ROUNDING:
        yield "the weights of its cut-offs exceed 1"


def _of_counts(plan: ChangePlan, link: ChangeVersion) -> Iterator[str]:
    may, most = plan.description_of_modifications, plan.modification_protocol.most_labels
    if not all(may.low <= tried.threshold <= may.high for tried in link.tried):
        yield f"a cut-off lies outside the range {may.low:g} to {may.high:g}"
    if link.labels > most:
        yield f"it uses {link.labels} labels, and the plan allows {most}"
    if any(sum(tried.cells) != link.labels for tried in link.tried):
        yield "the counts of a cut-off are not those of its labels"
    # By label and by the decision of the original rule all cut-offs count the same.
    elif len({_of_original(tried) for tried in link.tried}) > 1:
        yield "the counts of its cut-offs are not of the same patients"
    elif not _in_order(plan, link.tried):
        yield "the counts of its cut-offs do not fit the order of these cut-offs"


def _in_order(plan: ChangePlan, tried: Sequence[TriedPart]) -> bool:
    """Whether a stricter cut-off calls nobody whom a laxer one, or the original, does not."""
    sign = 1 if plan.original.direction == "ge" else -1
    ordered = sorted(tried, key=lambda cut: sign * cut.threshold)
    # By label and by the decision of the original rule: how many each cut-off calls.
    called = np.array([[cut.cells[i] for i in (2, 3, 6, 7)] for cut in ordered])
    cells = np.array([cut.cells for cut in ordered])
    above = sign * (np.array([cut.threshold for cut in ordered]) - plan.original.threshold)
    newly, no_longer = cells[:, [2, 6]], cells[:, [1, 5]]
    return not (
        (np.diff(called, axis=0) > 0).any()
        or newly[above >= 0].any()
        or no_longer[above <= 0].any()
    )


def _of_original(tried: TriedPart) -> tuple[int, ...]:
    cells = tried.cells
    return tuple(cells[i] + cells[i + 2] for i in (0, 1, 4, 5))


def _of_outcome(plan: ChangePlan, link: ChangeVersion) -> Iterator[str]:
    claims, most = claims_of(plan), plan.modification_protocol.most_labels
    proven = []
    for tried in link.tried:
        cells = np.array([tried.cells], dtype=np.int64)
        share, same = link.delta * tried.weight / 2, tried.threshold == plan.original.threshold
        limit, difference = claims.limits(cells, share, same=same)
        if max(abs(limit[0] - tried.limit), abs(difference[0] - tried.difference)) > STATED:
            yield f"the counts of cut-off {tried.threshold:.6g} give other limits"
        slack = ROUNDING if link.chosen is not None else -ROUNDING
        proven.append(bool(claims.shown(cells, share, same=same, slack=slack)[0]))
    accepted = link.outcome == "accepted"
    if accepted != (link.chosen is not None) or accepted != (link.rule is not None):
        yield "its outcome and its rule do not belong together"
    elif link.chosen is not None and not (link.chosen < len(proven) and proven[link.chosen]):
        yield "its counts do not show what the plan asks for"
    elif not accepted and any(proven):
        yield "its counts show that a cut-off had to be accepted"
    elif not accepted and (link.outcome == "failed") != (link.labels == most):
        yield f"an attempt fails after {most} labels, not after {link.labels}"
    if link.in_force != (link.rule if accepted else in_force(plan)):
        yield "the plan puts something else in force"


def _of_rule(plan: ChangePlan, link: ChangeVersion, rule: FrozenRule) -> Iterator[str]:
    adapted, chosen = rule.document.adapted, link.chosen
    if chosen is None or rule.document.sha256 != link.rule:
        yield "the rule file of its number is another rule"
    elif rule.threshold != link.tried[chosen].threshold:
        yield "its rule has another cut-off"
    elif adapted is None or (adapted.plan, adapted.attempt, adapted.parent) != (
        plan.sha256,
        link.attempt,
        link.rule_before,
    ):
        yield "its rule names another plan, attempt or parent"
    else:
        yield from _of_claims(plan, link, link.tried[chosen], rule)


def _of_claims(
    plan: ChangePlan, link: ChangeVersion, tried: TriedPart, rule: FrozenRule
) -> Iterator[str]:
    """Say what a rule claims otherwise than its version."""
    original, certificate, adapted = plan.original, rule.certificate, rule.document.adapted
    if (rule.direction, rule.document.costs) != (original.direction, original.costs):
        yield "its rule has another direction or other costs"
    claimed = certificate.value, certificate.delta, certificate.n_patients
    if not np.allclose(claimed, (tried.limit, link.delta / 2, link.labels), rtol=0, atol=STATED):
        yield "its rule has another certificate"
    counts = np.array(tried.cells).reshape(2, 2, 2).sum(axis=2)
    data = rule.document.provenance.data_sha256
    if not np.array_equal(rule.reference_counts, counts) or data != link.data_sha256:
        yield "its rule was certified on other patients"
    if adapted is not None and (adapted.pool, adapted.labelled) != (link.pool, link.labels):
        yield "its rule has other numbers of patients"


def replay(
    plan: ChangePlan, versions: Mapping[str, ChangeVersion], rules: Mapping[int, FrozenRule]
) -> list[Link]:
    """Return one link per version, given by the names of the files; ``rules`` are by number."""
    done, before = [], list[ChangeVersion]()
    for name, link in versions.items():
        wrong = list(problems(plan, before, link, rules.get(link.number)))
        without = link.rule is not None and link.number not in rules
        done.append(
            Link(name=name, plan=plan, version=link, wrong=tuple(wrong), without_rule=without)
        )
        before.append(link)
    known = {link.number for link in before}
    return [*done, *(ALONE(name=f"rule_{n:03d}.json") for n in rules if n not in known)]


def read_chain(plan: Path, versions: Iterable[Path], rules: Iterable[Path]) -> list[Link]:
    """Read the files of a chain and replay them; a file that cannot be read does not hold."""
    made, links = read_sealed(ChangePlan, plan), []
    read: dict[str, ChangeVersion] = {}
    for path in versions:
        try:
            read[path.name] = read_sealed(ChangeVersion, path)
        except SteadycutError as error:
            links.append(Link(name=path.name, wrong=(str(error),)))
    numbered: dict[int, FrozenRule] = {}
    for path in rules:
        try:
            numbered[_number(path)] = FrozenRule.load(path)
        except SteadycutError as error:
            links.append(Link(name=path.name, wrong=(str(error),)))
    return [Link(name=plan.name, plan=made), *links, *replay(made, read, numbered)]


def _number(path: Path) -> int:
    """Return the number at the end of the name of a file."""
    msg = f"{path} must be called rule_NNN.json, as adapt writes it."
    with refusing(BadOption, msg, ValueError):
        return int(path.stem.rpartition("_")[2])
