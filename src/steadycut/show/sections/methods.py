"""What was done, as text to paste into a paper, and what to cite."""

from steadycut.core.class_names import of_them
from steadycut.core.rounding import at_most
from steadycut.core.rules.registry import rule_table
from steadycut.documents.audit import CutOffAudit, LabelledCutOffAudit
from steadycut.documents.study import StudyDocument
from steadycut.show.pages.page import Section
from steadycut.show.sections.certificate import rates_sentence
from steadycut.show.sections.characteristics import characteristic_names, fixed, interval_text
from steadycut.show.sections.survival import HERE, outcome_texts
from steadycut.show.words import sentences as say
from steadycut.show.words.audit import capital, labelled_in_words
from steadycut.show.words.numbers import count, cut, percent, risk

# As in CITATION.cff, which tests compare it with.
CITATION = (
    "Debeaupuis O. Hierarchical biomarker thresholding: a model-agnostic framework for stability. "
    "Preprint."
)
SPLIT = (
    "The roles were dealt at random by patient before any cut-off was looked at, and the cut-off "
    "was frozen before the patients used to check were counted."
)
UNIFORM = (
    "The same patients were used to choose the cut-off and to check it; the bound used holds at "
    "every cut-off and for every candidate at once, so that choosing does not spoil it."
)
EXACT = "one-sided exact binomial limits (Clopper-Pearson)"
AT_ALL_CUTS = (
    "one-sided limits that hold at every cut-off and for every candidate at once "
    "(Dvoretzky-Kiefer-Wolfowitz-Massart)"
)
# docs/transport.md says the same, word for word.
STABLE = (
    "It weighs two opinions. The first is an average of all possible cut-offs; the fewer and "
    "cheaper the errors of a cut-off, the more it counts. The second is a logistic regression on "
    "the ranks of the scores. It says from which rank on calling a patient pays at these costs, or "
    "that the score does not pay and everybody or nobody should be called. The cut-off lies "
    "between the two, a little more than half of the way to the regression. If that cut-off is "
    "clearly worse in these patients than the best one, the average of the cut-offs around the "
    "best one is taken instead. Only the order of the scores matters, not their unit."
)
NAMED = ("sensitivity", "specificity", "ppv", "npv")


def methods_section(document: StudyDocument) -> Section:
    """Return the methods of a study, ready to be pasted and shortened."""
    return _section(
        patients_text(document),
        *outcome_texts(document.survival, "used to check"),
        choice_text(document),
        certificate_text(document),
        results_text(document),
        software_text(document, document.options.seed),
    )


def audit_methods_section(document: CutOffAudit) -> Section:
    """Return the methods of an audit, ready to be pasted and shortened."""
    results = [audit_results_text(document)] if isinstance(document, LabelledCutOffAudit) else []
    outcome = outcome_texts(document.survival, HERE)
    return _section(audit_text(document), *outcome, *results, software_text(document, None))


def _section(*texts: str) -> Section:
    return Section(
        key="methods", title="Text for a paper", texts=(*texts, f"Cite: {CITATION}"), copied=True
    )


def patients_text(document: StudyDocument) -> str:
    """Say who was in the study and how a patient's score was made."""
    patients = document.patients
    rows = document.data.rows if document.data else None
    made_of = f" with {count(rows, 'row')} of scores" if rows else ""
    return (
        f"Patients. {count(patients.total, 'patient')}{made_of} entered the study, "
        f"{patients.positive} of them {of_them(document.names.ill)} "
        f"({percent(patients.positive / patients.total)}).{labels_text(document)} The patient was "
        f"the unit of every analysis: a patient's score was {say.score_in_words(document)}."
    )


def labels_text(document: StudyDocument | CutOffAudit) -> str:
    """Say how labels of rows became labels of patients; nothing where all rows had the same."""
    if document.label_how is None:
        return ""
    ill = of_them(document.names.ill)
    return f" A patient counted as {ill} if any row of the patient was labelled so."


def choice_text(document: StudyDocument) -> str:
    """Say how the cut-off was chosen, and how its stability was measured."""
    patients, options = document.patients, document.options
    several = len(document.candidates)
    ill = of_them(document.names.ill)
    among = f", among {several} candidates (scores and aggregators)" if several > 1 else ""
    return (
        f"Cut-off. {count(patients.select, 'patient')} ({patients.select_positive} {ill}) were "
        f"used to choose one cut-off by the rule {rule_in_words(document.rule)}{among}. "
        f"{f'{STABLE} ' if document.rule == 'stable' else ''}There "
        f"{say.costs_in_words(document.costs)}, and the prevalence is "
        f"{say.prevalence_in_words(document.target_prevalence)}. To measure its stability these "
        f"patients were resampled {options.n_bootstrap} times and the whole rule was run again."
    )


def rule_in_words(name: str) -> str:
    """Name a rule, and say what it does if it is one of ours.

    Examples
    --------
    >>> print(rule_in_words("sensitivity:0.9"))
    “sensitivity:0.9” (sensitivity at least 0.9, then largest specificity)
    """
    meanings = {rule: meaning.removesuffix(": the default") for rule, meaning, _ in rule_table()}
    family, _, number = name.partition(":")
    meaning = meanings.get(name) or meanings.get(f"{family}:X", "").replace("X", number)
    return f"{say.quoted(name)} ({meaning})" if meaning and "@" not in name else say.quoted(name)


def certificate_text(document: StudyDocument) -> str:
    """Say who certified the cut-off, by which bound."""
    certificate, patients = document.certificate, document.patients
    honest, ill = certificate.honesty == "split", of_them(document.names.ill)
    return (
        f"Certificate. {count(patients.certify, 'patient')} ({patients.certify_positive} {ill}) "
        "were used to check the cut-off. They give an upper limit on its risk, the average cost "
        f"per patient, with {percent(1 - certificate.delta)} confidence, by the bound "
        f"{say.bound_in_words(certificate.bound)}. {SPLIT if honest else UNIFORM}"
        f"{rates_text(document)}{held_out_text(document)}"
    )


def held_out_text(document: StudyDocument) -> str:
    """Say how the cut-off did on patients who were held out; nothing without any."""
    if document.test is None:
        return ""
    return f" Held out before the study: {say.held_out_in_words(document.test, document.names)}."


def rates_text(document: StudyDocument) -> str:
    """Say which rates were certified beside the risk, and how; nothing without any."""
    rates, certificate = document.certified_rates, document.certificate
    if not rates:
        return ""
    asked = " and ".join(f"{part.rate} at least {part.asked:g}" for part in rates)
    how = EXACT if certificate.honesty == "split" else AT_ALL_CUTS
    shared = f" at a confidence of {percent(1 - certificate.delta / len(rates))} each"
    answers = rates_sentence(rates, certificate.delta)
    return f" Certified beside it: {asked}, by {how}{shared}. {answers}"


def results_text(document: StudyDocument) -> str:
    """Return the results in a few sentences."""
    certificate = document.certificate
    intervals = document.threshold_interval
    again = interval_text(intervals.repeated_study, cut)
    return (
        f"Results. {say.rule_sentence(document)} In {percent(intervals.confidence)} of repeated "
        f"studies the cut-off is expected to be {again}. Among the patients used to check "
        f"{characteristics_text(document)}. The observed risk was "
        f"{risk(certificate.risk)}, the certified risk at most {at_most(certificate.value)}; "
        f"calling everybody or nobody has {risk(certificate.trivial_risk)}. "
        f"{capital(say.studies_disagree(document))}."
    )


def characteristics_text(document: StudyDocument | LabelledCutOffAudit) -> str:
    """Write the usual characteristics with their intervals."""
    point = document.operating_point
    names = characteristic_names(point, document.costs)
    written = {names[key]: fixed(point, key) for key in NAMED if key in names}
    parts = [f"{name} was {seen} ({interval})" for name, (seen, interval, _) in written.items()]
    return f"{', '.join(parts)} ({percent(point.confidence)} intervals at this cut-off)"


def audit_text(document: CutOffAudit) -> str:
    """Say what was audited, on whom."""
    certificate = document.certificate
    return (
        f"External validation. The rule was frozen before: {say.rule_sentence(document)} It had "
        f"been certified at a risk of at most {at_most(certificate.value)} "
        f"({percent(1 - certificate.delta)} confidence) on {certificate.n_patients} patients "
        f"of the first hospital, where {say.costs_in_words(document.costs)}. It was applied "
        f"unchanged to {count(document.n_patients, 'patient')} of another hospital, "
        f"{labelled_in_words(document)}."
        f"{labels_text(document)}{overruled_text(document)}"
    )


def overruled_text(document: CutOffAudit) -> str:
    """Say what a reader must know: checks that were overruled, patients who were grouped."""
    text, least = "", document.small_cells
    if document.forced:
        checks = ", ".join(document.forced)
        text = f" The rule refused these patients ({checks}) and was overruled."
    if least is not None:
        text += (
            f" Patients of one class were counted in groups of at least {least}; the group around "
            "the cut-off counted as wrong."
        )
    return text


def audit_results_text(document: LabelledCutOffAudit) -> str:
    """Return the results of an audit in a few sentences."""
    moved, names = document.shift.signed, document.names
    return (
        f"Results. Here {characteristics_text(document)}. The observed risk was "
        f"{risk(document.risk_external)} (first hospital: {risk(document.risk_internal)}), with "
        f"{percent(1 - document.delta)} confidence at most {at_most(document.bound_external)} "
        f"({document.bound}). Of the change, {risk(moved.prevalence)} comes from the prevalence, "
        f"{risk(moved.shape_positive)} from the scores of {names.ill_patients} and "
        f"{risk(moved.shape_negative)} from those of {names.healthy_ones}."
    )


def software_text(document: StudyDocument | CutOffAudit, seed: int | None) -> str:
    """Name the software, its versions and what makes the numbers again."""
    frozen = document.frozen_rule
    versions = {} if frozen is None else frozen.provenance.versions
    named = ", ".join(f"{name} {version}" for name, version in versions.items())
    parts = [f"Software. {named or 'steadycut'}."]
    if seed is not None:
        parts.append(f"Seed {seed}; the same patients and options give the same numbers.")
    if frozen is not None:
        made_of = frozen.provenance.data_sha256
        parts.append(f"Fingerprint of the patients who made the rule: {made_of}.")
        parts.append(f"Hash of the frozen rule: {frozen.sha256}.")
    return " ".join(parts)
