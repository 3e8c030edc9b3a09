"""What several hospitals say about the next one, and when they say nothing."""

from steadycut.core import rounding
from steadycut.core.next_site import LEAST_NORMAL, Share, sites_needed
from steadycut.core.rules.next_site import parse_next_site
from steadycut.documents.study import NextSitePart, SiteRowPart, StudyDocument
from steadycut.show.pages.page import Section, Table, of_columns, section
from steadycut.show.words import sentences as say
from steadycut.show.words.next_step import COMMAND_LINE
from steadycut.show.words.numbers import asked, count, cut, percent, rate, risk, whole_percent

TITLE = "The next hospital"
MOST_NAMED = 3
ASSUMPTION = (
    "All of this assumes that the next hospital is to these hospitals as they are to each other. "
    "It does not apply where the next one is known to be unlike them: another scanner or "
    "laboratory, a referral centre, another country. Nor does it apply if these hospitals were "
    "picked because the cut-off does well there, or if the score was trained on their patients."
)
POOLED = (
    "The patients of all hospitals choose the cut-off together. Giving each hospital the same "
    "weight, or guarding against the worst one, did not transfer better."
)
SHARED = " This is approximate, because the cut-offs were chosen on shared hospitals."


def next_site_section(study: StudyDocument) -> Section:
    """Say what is known about a hospital that nobody has seen."""
    known, promised = study.next_site, rule_sentence(study)
    if known is None:
        return section("next-site", TITLE, results=(promised or nothing_sentence(study),))
    results = (
        promised,
        worst_sentence(known),
        widest_sentence(known),
        published_sentence(known),
        trivial_sentence(known),
        worse_sentence(known),
        *share_sentences(known),
        normal_sentence(known),
        level_sentence(known),
    )
    texts = (ASSUMPTION, "" if known.split or promised else POOLED)
    return section(
        "next-site", TITLE, *texts, results=results, of=study, tables=(sites_table(known),)
    )


def next_site_facts(study: StudyDocument) -> tuple[tuple[str, str], ...]:
    """Say in one line what is known about the next hospital, if anything is."""
    known, rule = study.next_site, parse_next_site(study.rule)
    if rule is not None:
        text = f"expected {rule.rate} at least {asked(rule.least)}, as a mean over hospitals"
    elif known is not None:
        chosen = "" if known.split else ", by a cut-off chosen without one of these"
        sure = whole_percent(known.worst.promise)
        like = f"if it is like these {known.n_sites}"
        useless = "" if useful_at(known) else "; not shown to be useful there"
        limit = at_most(study, known.worst.limit)
        text = f"{limit}{there(known)}{chosen} ({sure} sure, {like}){useless}"
    else:
        return ()
    return (("next hospital", text),)


def rule_sentence(study: StudyDocument) -> str:
    """Say what the rule itself promises, if it is about the next hospital."""
    rule = parse_next_site(study.rule)
    if rule is None:
        return ""
    return (
        f"The rule promises an expected {rule.rate} of at least {asked(rule.least)} at the "
        "next hospital, if it is to these hospitals as they are to each other, also in size. This "
        "is a mean over hospitals: at some of them it is lower."
    )


def at_most(study: StudyDocument, limit: float) -> str:
    """Write an upper limit of the cost; with equal costs it is a number of patients."""
    if study.costs.equal:
        return (
            f"wrong in at most {rounding.of_hundred_at_most(limit / study.costs.cost_fn)} patients"
        )
    return f"average cost at most {rounding.at_most(limit)}"


def nothing_sentence(study: StudyDocument) -> str:
    """Say that nothing is known about another hospital, and why."""
    certify = study.options.sites_certify
    if certify is not None:
        why = "One hospital checks the cut-off"
    elif study.patients.sites is None:
        why = "The hospitals of these patients are not known"
    elif study.patients.sites == 1:
        why = "These patients come from one hospital"
    else:
        why = "No cut-off can be chosen without each of these hospitals in turn"
    return f"{why}: nothing can be said about another one."


def worst_sentence(known: NextSitePart) -> str:
    """Say how large the cost at the next hospital can be."""
    worst = known.worst
    return (
        f"Worst hospital: with probability at least {whole_percent(worst.promise)}, the average "
        f"cost at the next hospital{there(known)} is at most {rounding.at_most(worst.limit)}"
        f"{which_cut(known)}. In the same way the miss rate there is at most "
        f"{rounding.at_most(worst.miss_rate)}, and the alarm rate at most "
        f"{rounding.at_most(worst.alarm_rate)}; each of the three holds by itself."
    )


def widest_sentence(known: NextSitePart) -> str:
    """Name the hospital that makes the limit; a few patients alone can make it large."""
    worst = next(row for row in known.rows if row.site == known.worst.site)
    size = worst.counts.confusion.n_patients
    others = [row.cost or 0 for row in known.rows if row is not worst]
    more = max(others) >= (worst.cost or 0)
    few = " It is large because few patients were seen there." if more else ""
    return (
        f"The limit of the cost comes from {worst.site} ({count(size, 'patient')}, "
        f"cost {risk(worst.cost)}).{few}"
    )


def there(known: NextSitePart) -> str:
    """Say at which prevalence the cost is taken, if not at that of each hospital."""
    if known.prevalence is None:
        return ""
    return f" at {say.prevalence_in_words(known.prevalence)} prevalence"


def which_cut(known: NextSitePart) -> str:
    """Say for which cut-off the limit holds."""
    if known.split:
        return ""
    return ", with at least one of the cut-offs that were chosen without one hospital"


def published_sentence(known: NextSitePart) -> str:
    """Say how the published cut-off differs from those chosen without one hospital."""
    if known.split:
        return ""
    if known.threshold_range is None or known.between is None:
        return (
            "This is not about the published cut-off: without some hospital the score itself would "
            "be another one."
        )
    ends = " to ".join(map(cut, known.threshold_range))
    return (
        f"These cut-offs and the published one lie within {ends}. The published one can cost more "
        "only through patients with a score in this range; here these are "
        f"{percent(known.between)} of the patients."
    )


def useful_at(known: NextSitePart) -> int:
    """Return at how many hospitals the limit is below the cost of calling everybody or nobody."""
    return sum(row.trivial_cost > known.worst.limit for row in known.rows)


def trivial_sentence(known: NextSitePart) -> str:
    """Say where the promised limit is not better than calling everybody or nobody."""
    n = known.n_sites - useful_at(known)
    if not n:
        return ""
    useless = " These hospitals promise nothing useful about the next one."
    return (
        f"Calling everybody or nobody would cost no more than that at {n} of these "
        f"{known.n_sites} hospitals.{useless if n == known.n_sites else ''}"
    )


def worse_sentence(known: NextSitePart) -> str:
    """Name hospitals where the whole interval of the cost is above calling everybody or nobody.

    A hospital without ill or without healthy patients is left out: what costs least there is not
    known.
    """
    worse = [row for row in known.rows if has_both(row) and row.interval[0] > row.trivial_cost]
    if not worse:
        return ""
    named = [
        f"{row.site} ({risk(row.cost)} against {risk(row.trivial_cost)})"
        for row in worse[:MOST_NAMED]
    ]
    more = f" and {len(worse) - MOST_NAMED} more" if len(worse) > MOST_NAMED else ""
    which = "The cut-off" if known.split else "A cut-off that the other hospitals chose"
    return (
        f"{which} cost more than calling everybody or nobody at {len(worse)} of these "
        f"{known.n_sites} hospitals: {', '.join(named)}{more}. Each was judged by itself. Find out "
        "why before the published one is used there."
    )


def has_both(row: SiteRowPart) -> bool:
    """Whether ill and healthy patients of a hospital were seen."""
    seen = row.counts.confusion
    return bool(seen.n_positive and seen.n_negative)


def share_sentences(known: NextSitePart) -> tuple[str, ...]:
    """Say at which share of hospitals the cut-off is useful, and costs little enough."""
    about = "" if known.split else SHARED
    at = there(known)
    useful = f"the cut-off costs less than calling everybody or nobody{at}"
    texts = [share_sentence(known.share.useful, useful, about)]
    if known.share.cost is not None:
        cheap = f"the average cost is at most {rounding.at_most(known.cost_there)}{at}"
        texts.append(share_sentence(known.share.cost, cheap, about))
    return tuple(texts)


def share_sentence(share: Share, what: str, about: str) -> str:
    """Say how many hospitals show something, and what follows for all hospitals."""
    passed = f"{share.passed} of {share.n_sites} hospitals show that {what}."
    at_least = whole_percent(share.at_least)
    if at_least == whole_percent(0):
        return f"{passed} This is not enough to say at which share of all hospitals this is true."
    return (
        f"{passed} So this is true at {at_least} of all such hospitals or more "
        f"({percent(share.confidence)} confidence).{about}"
    )


def normal_sentence(part: NextSitePart) -> str:
    """Say what holds if hospitals differ as a normal distribution says."""
    if part.normal is None:
        return (
            f"A limit for hospitals that differ as a normal distribution says needs {LEAST_NORMAL} "
            "hospitals or more."
        )
    normal = part.normal
    known = {
        "an average cost": normal.limit,
        "a miss rate": normal.miss_rate,
        "an alarm rate": normal.alarm_rate,
    }
    parts = [
        f"{name} of at most {rounding.at_most(value)}"
        for name, value in known.items()
        if value is not None
    ]
    if not parts:
        return (
            "No limit can be given for hospitals that differ as a normal distribution says: too "
            "few of them have errors, they are all alike, or one lacks ill or healthy patients."
        )
    about = "" if part.split else SHARED
    return (
        f"If hospitals differ as a normal distribution on the logit scale says, the next one has "
        f"{', '.join(parts)} ({percent(normal.level)} probability each).{about}"
    )


def level_sentence(known: NextSitePart) -> str:
    """Say which level cannot be had with so few hospitals, and how many it takes."""
    if known.worst.promise >= known.level - 1e-9 or known.sites_needed is None:
        return ""
    split = sites_needed(known.level, split=True)
    option, call = COMMAND_LINE.option("sites_certify", None), COMMAND_LINE.call("plan_sites")
    certify = "" if known.split else f", or {split} that check what others chose ({option})"
    return (
        f"{known.n_sites} hospitals cannot promise {percent(known.level)} without further "
        f"assumptions. That takes {known.sites_needed} hospitals{certify}: {call}."
    )


def sites_table(known: NextSitePart) -> Table:
    """Show every hospital."""
    rows = known.rows
    without = "cut-off" if known.split else "cut-off without it"
    columns = [
        ("hospital", [row.site for row in rows]),
        ("patients", [str(row.counts.confusion.n_patients) for row in rows]),
        (without, [cut(row.threshold) for row in rows]),
        ("cost", [risk(row.cost) for row in rows]),
        ("interval", [f"{risk(row.interval[0])} to {risk(row.interval[1])}" for row in rows]),
        ("at most", [rounding.at_most(row.limit) for row in rows]),
        ("sensitivity", [rate(row.counts.confusion.sensitivity) for row in rows]),
        ("specificity", [rate(row.counts.confusion.specificity) for row in rows]),
        ("useful", ["yes" if row.useful else "not shown" for row in rows]),
    ]
    note = (
        f"interval: {percent(known.level)}, for this hospital alone. at most: upper limit that is "
        f"too low with probability at most {known.delta:g}."
    )
    return of_columns("Each hospital by itself", columns, note=note, short=False)
