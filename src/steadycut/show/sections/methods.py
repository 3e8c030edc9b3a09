"""What was done, as text to paste into a paper, and what to cite."""

from collections.abc import Mapping
from typing import Any

from steadycut.core.rules.registry import rule_table
from steadycut.show.numbers import count, cut, percent, risk
from steadycut.show.page import Section
from steadycut.show.sections.characteristics import (
    characteristic_names,
    fixed_interval,
    interval_text,
    seen,
)
from steadycut.show.sentences import (
    bound_in_words,
    costs_in_words,
    prevalence_in_words,
    quoted,
    rule_sentence,
    score_in_words,
)

Content = Mapping[str, Any]

# As in CITATION.cff, which tests compare it with.
CITATION = (
    "Debeaupuis O. Hierarchical biomarker thresholding: a model-agnostic framework for stability. "
    "Preprint."
)
SPLIT = (
    "The roles were dealt at random by patient before any cut-off was looked at, and the cut-off "
    "was frozen before the certifying patients were counted."
)
UNIFORM = (
    "The same patients chose the cut-off and certified it; the bound used holds at every cut-off "
    "and for every candidate at once, so that choosing does not spoil it."
)
NAMED = ("sensitivity", "specificity", "ppv", "npv")


def methods_section(content: Content) -> Section:
    """Return the methods of a study, ready to be pasted and shortened."""
    return _section(
        patients_text(content),
        choice_text(content),
        certificate_text(content),
        results_text(content),
        software_text(content, content["options"]["seed"]),
    )


def audit_methods_section(content: Content) -> Section:
    """Return the methods of an audit, ready to be pasted and shortened."""
    return _section(
        audit_text(content),
        *((audit_results_text(content),) if content["labelled"] else ()),
        software_text(content, None),
    )


def _section(*texts: str) -> Section:
    return Section(
        key="methods", title="Text for a paper", texts=(*texts, f"Cite: {CITATION}"), copied=True
    )


def patients_text(content: Content) -> str:
    """Say who was in the study and how a patient's score was made."""
    patients = content["patients"]
    rows = (content.get("data") or {}).get("rows")
    made_of = f" with {count(rows, 'row')} of scores" if rows else ""
    return (
        f"Patients. {count(patients['total'], 'patient')}{made_of} entered the study, "
        f"{patients['positive']} of them positive "
        f"({percent(patients['positive'] / patients['total'])}). The patient was the unit of every "
        f"analysis: a patient's score was {score_in_words(content)}."
    )


def choice_text(content: Content) -> str:
    """Say how the cut-off was chosen, and how its stability was measured."""
    patients, options = content["patients"], content["options"]
    several = len(content["candidates"])
    among = f", among {several} candidates (scores and aggregators)" if several > 1 else ""
    return (
        f"Cut-off. {count(patients['select'], 'patient')} ({patients['select_positive']} positive) "
        f"chose one cut-off by the rule {rule_in_words(content['rule'])}{among}, where "
        f"{costs_in_words(content['costs'])} and the prevalence is "
        f"{prevalence_in_words(content['target_prevalence'])}. To measure its stability these "
        f"patients were resampled {options['n_bootstrap']} times and the whole rule was run again."
    )


def rule_in_words(name: str) -> str:
    """Name a rule, and say what it does if it is one of ours.

    Examples
    --------
    >>> print(rule_in_words("sensitivity:0.9"))
    “sensitivity:0.9” (sensitivity at least 0.9, then largest specificity)
    """
    told = {rule: meaning.removesuffix(": the default") for rule, meaning, _ in rule_table()}
    family, _, number = name.partition(":")
    meaning = told.get(name) or told.get(f"{family}:X", "").replace("X", number)
    return f"{quoted(name)} ({meaning})" if meaning and "@" not in name else quoted(name)


def certificate_text(content: Content) -> str:
    """Say who certified the cut-off, by which bound."""
    certificate, patients = content["certificate"], content["patients"]
    honest = certificate["honesty"] == "split"
    return (
        f"Certificate. {count(patients['certify'], 'patient')} ({patients['certify_positive']} "
        f"positive) certified the cut-off: an upper limit on its risk, the mean cost per patient, "
        f"with {percent(1 - certificate['delta'])} confidence, by the bound "
        f"{bound_in_words(certificate['bound'])}. {SPLIT if honest else UNIFORM}"
    )


def results_text(content: Content) -> str:
    """Return the results in a few sentences."""
    certificate, stability = content["certificate"], content["stability"]
    found = content["threshold_interval"]
    again = interval_text(found["repeated_study"], cut)
    return (
        f"Results. {rule_sentence(content)} In {percent(found['confidence'])} of repeated studies "
        f"the cut-off is expected to be {again}. Among the certifying patients "
        f"{characteristics_text(content)}. The observed risk was "
        f"{risk(certificate['risk'])}, the certified risk at most {risk(certificate['value'])}; a "
        f"rule without any score has {risk(certificate['trivial_risk'])}. Of the decisions "
        f"{percent(stability['flip_rate'])} would differ had other patients chosen the cut-off."
    )


def characteristics_text(content: Content) -> str:
    """Write the usual characteristics with their intervals."""
    point = content["operating_point"]
    names = characteristic_names(point, content["costs"])
    parts = [
        f"{names[key]} was {seen(point, key)} ({fixed_interval(point, key)})"
        for key in NAMED
        if key in names
    ]
    return f"{', '.join(parts)} ({percent(point['confidence'])} intervals at this cut-off)"


def audit_text(content: Content) -> str:
    """Say what was audited, on whom."""
    certificate = content["certificate"]
    labels = "with known labels" if content["labelled"] else "without labels"
    return (
        f"External validation. The rule was frozen before: {rule_sentence(content)} It had been "
        f"certified at a risk of at most {risk(certificate['value'])} "
        f"({percent(1 - certificate['delta'])} confidence) on {certificate['n_patients']} patients "
        f"of the first hospital, where {costs_in_words(content['costs'])}. It was applied "
        f"unchanged to {count(content['n_patients'], 'patient')} of another hospital, {labels}."
        f"{overruled_text(content)}"
    )


def overruled_text(content: Content) -> str:
    """Say what a reader must know: checks that were overruled, patients who were grouped."""
    forced, least = content.get("forced"), content.get("small_cells")
    text = (
        f" The rule refused these patients ({', '.join(forced)}) and was overruled."
        if forced
        else ""
    )
    if least is not None:
        text += (
            f" Patients of one class were counted in groups of at least {least}; a group that the "
            "cut-off divides counted as wrong."
        )
    return text


def audit_results_text(content: Content) -> str:
    """Return the results of an audit in a few sentences."""
    shift = content["shift"]["signed"]
    moved = {
        key: "not known" if shift[key] is None else risk(shift[key])
        for key in ("prevalence", "shape_positive", "shape_negative")
    }
    return (
        f"Results. Here {characteristics_text(content)}. The observed risk was "
        f"{risk(content['risk_external'])} (first hospital: {risk(content['risk_internal'])}), "
        f"with {percent(1 - content['delta'])} confidence at most "
        f"{risk(content['bound_external'])} ({content['bound']}). Of the change, "
        f"{moved['prevalence']} comes from the prevalence, {moved['shape_positive']} from the "
        f"scores of positive patients and {moved['shape_negative']} from those of negative ones."
    )


def software_text(content: Content, seed: int | None) -> str:
    """Name the software, its versions and what makes the numbers again."""
    frozen = content.get("frozen_rule") or {}
    found = frozen.get("provenance", {"versions": {}, "data_sha256": None})
    named = ", ".join(f"{name} {version}" for name, version in found["versions"].items())
    parts = [f"Software. {named or 'steadycut'}."]
    if seed is not None:
        parts.append(f"Seed {seed}; the same patients and options give the same numbers.")
    if found["data_sha256"]:
        parts.append(f"Fingerprint of the patients who made the rule: {found['data_sha256']}.")
    if frozen:
        parts.append(f"Hash of the frozen rule: {frozen['sha256']}.")
    return " ".join(parts)
