import builtins
import re
from functools import cache
from html.parser import HTMLParser

import matplotlib as mpl
import pytest

from steadycut import fit
from steadycut.core.rounding import at_most
from steadycut.documents.parts import IntervalPart
from steadycut.errors import MissingPackage
from steadycut.show.pages.kinds import page_of
from steadycut.show.render.html import environment, render_page
from steadycut.show.sections.characteristics import interval_text
from steadycut.show.words.numbers import (
    change,
    cut,
    exact,
    numbers,
    percent,
    percents,
    rate,
    risk,
    spread,
)
from tests.show.documents import document, render_document
from tests.show.figures import samples
from tests.show.other_kinds import OTHERS

DATA = {
    "rows": 0,
    "dropped_rows": 0,
    "dropped_patients": 0,
    "dropped_incomplete_patients": 0,
}
SCRIPT = "<script>alert(1)</script>"
PAGES = {
    "study": lambda: render_document(document(samples.study())),
    "study with comparison": lambda: render_document(
        document(samples.study()), document(samples.comparison())
    ),
    "study, unequal costs": lambda: render_document(document(samples.study(cost_fn=5.0))),
    "study, uniform": lambda: render_document(document(samples.study(honesty="uniform"))),
    "30 patients with ties": lambda: render_document(document(samples.tied_study())),
    "30 patients with ties, le": lambda: render_document(document(samples.tied_study("le"))),
    "audit": lambda: render_document(document(samples.labelled_audit())),
    "audit, unequal costs": lambda: render_document(document(samples.labelled_audit(cost_fn=5.0))),
    "audit of positives": lambda: render_document(document(samples.labelled_audit(only=1))),
    "audit of negatives": lambda: render_document(document(samples.labelled_audit(only=0))),
    "audit without labels": lambda: render_document(document(samples.unlabelled_audit())),
}
PAGES |= {
    name: lambda make=make: render_page(page_of(document(make()))) for name, make in OTHERS.items()
}
# Figures take a while: a page is drawn once.
PAGES = {name: cache(make) for name, make in PAGES.items()}
VOID = {"meta", "br", "hr", "img", "link", "input"}
# What they hold is not shown.
UNSEEN = {"pre", "script", "style"}


class Reader(HTMLParser):
    """The texts, tags and identifiers of a page; complains about tags that do not match."""

    def __init__(self, page):
        super().__init__()
        self.texts, self.tags, self.ids, self.open = [], [], [], []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.ids += [value for name, value in attrs if name == "id"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.ids += [value for name, value in attrs if name == "id"]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if not UNSEEN & set(self.open):
            self.texts.append(data)


def text_of(page):
    return " ".join("\n".join(Reader(page).texts).split())


@pytest.mark.parametrize("make", PAGES.values(), ids=PAGES)
def test_a_page_is_whole_small_and_alone(make):
    page = make()
    reader = Reader(page)
    assert reader.open == []
    assert len(reader.ids) == len(set(reader.ids))
    assert page.startswith("<!DOCTYPE html>")
    assert len(page.encode()) < 500_000
    assert not {"link", "img", "iframe", "object", "image"} & set(reader.tags)
    # The hash of the script, the only one that may run, can hold slashes.
    assert reader.tags.count("script") == page.count("script-src 'sha256-") == 1
    rest = re.sub(r"script-src '[^']*'", "", page)
    assert not re.search(r"https?:|//|@import|\bsrc=|url\((?!#)", rest)
    assert not re.search(r"<[^<>]* on[a-z]+=", page)
    assert not re.search(r"\b(nan|None|inf|Undefined)\b", text_of(page))


@pytest.mark.parametrize("make", PAGES.values(), ids=PAGES)
def test_every_reference_of_a_drawing_has_its_target(make):
    page = make()
    ids = set(Reader(page).ids)
    used = re.findall(r'(?:href="#|url\(#)([^")]+)', page)
    assert set(used) <= ids


@pytest.mark.parametrize("name", ["study with comparison", "30 patients with ties, le", "audit"])
def test_same_content_same_bytes_whatever_the_settings(name):
    make = PAGES[name]
    first = make()
    with mpl.rc_context({"font.size": 20, "svg.hashsalt": "other", "axes.grid": True}):
        second = make.__wrapped__()
    assert first == second


def characteristic_texts(point, *kinds):
    """Every value and interval of an operating point, as it is written."""
    found = [one for kind in kinds for one in point[kind]["characteristics"].values()]
    values = [risk(one["value"]) for one in found if one.get("value") is not None]
    return values + [interval_text(IntervalPart(**ends(one))) for one in found]


def ends(one):
    return {key: one[key] for key in ("low", "high", "method", "known")}


def test_a_study_page_holds_every_number():
    study = samples.study()
    text = text_of(PAGES["study"]())
    stability, certificate = study["stability"], study["certificate"]
    wanted = [
        cut(study["threshold"]),
        exact(study["threshold"]),
        exact(study["operating_value"]),
        risk(study["risk"]),
        *(risk(certificate[key]) for key in ("risk", "generalization", "trivial_risk")),
        at_most(certificate["value"]),
        certificate["bound"],
        str(certificate["n_patients"]),
        *(cut(stability[key]) for key in ("radius", "bias", "quantile")),
        *(risk(stability[key]) for key in ("modulus", "penalty")),
        percent(stability["flip_rate"]),
        *(str(study["operating_point"][key]) for key in ("tp", "fn", "fp", "tn")),
        *characteristic_texts(study["operating_point"], "fixed_cut", "rechosen_cut"),
        *(str(value) for value in study["patients"].values()),
        *(str(value) for value in study["options"].values()),
    ]
    for row in study["candidates"]:
        wanted += [cut(row["threshold"]), cut(row["radius"])]
        keys = ("risk", "smallest_risk", "modulus", "penalty", "objective")
        wanted += [risk(row[key]) for key in keys]
    assert [one for one in wanted if one not in text] == []


def test_a_comparison_holds_every_number():
    comparison = samples.comparison()
    text = text_of(PAGES["study with comparison"]())
    wanted = [risk(comparison["trivial_external"]), *map(str, comparison["patients"].values())]
    rows = comparison["rows"]
    for key, digits in (("threshold", 4), ("risk_external", 3), ("risk_external_se", 2)):
        wanted += numbers([row[key] for row in rows], digits)
    for key, digits in (("risk_validation", 3), ("risk_validation_se", 2), ("penalty", 3)):
        wanted += numbers([row[key] for row in rows], digits)
    for key in ("shift", "difference"):
        wanted += numbers([row[key] for row in rows], signs=True)
    for key in ("flip_rate", "flip_rate_se"):
        wanted += percents([row[key] for row in rows])
    for row in rows:
        wanted += [
            row["rule"],
            cut(row["operating_value"]),
            *(risk(row[key]) for key in ("modulus", "best_external")),
            at_most(row["certificate_alone"]),
            rate(row["sensitivity_external"]),
            rate(row["specificity_external"]),
        ]
    for row in comparison["cost_table"]:
        wanted.append(f"{row['cost_fn']:g}:{row['cost_fp']:g}")
    assert [one for one in wanted if one not in text] == []


@pytest.mark.parametrize("only", [None, 0, 1])
def test_an_audit_page_holds_every_number(only):
    audit = samples.labelled_audit(only=only)
    text = text_of(PAGES[{None: "audit", 0: "audit of negatives", 1: "audit of positives"}[only]]())
    keys = ("bound_external", "base", "base_valid", "augmented", "base_exact")
    wanted = [
        exact(audit["threshold"]),
        spread(audit["risk_external"], audit["risk_external_se"]),
        risk(audit["risk_internal"]),
        *(at_most(audit[key]) for key in keys),
        *(risk(value) for value in audit["shift"]["distances"].values()),
        *(risk(value) for value in audit["gamma"].values()),
        *(percent(audit[key]) for key in ("call_rate", "call_rate_internal", "flip_rate")),
        str(audit["grey_zone"]["patients"]),
        percent(audit["grey_zone"]["share"]),
        *(part for name, *words in page_of(document(audit)).cards for part in (name, *words)),
        page_of(document(audit)).plain_step,
    ]
    for part in ("prevalence", "shape_positive", "shape_negative", "total"):
        wanted.append(risk(audit["shift"][part]))
        wanted += [change(audit["shift"][kind][part]) for kind in ("signed", "shapley")]
    for point in ("operating_point", "operating_point_internal"):
        wanted += [str(audit[point][key]) for key in ("tp", "fn", "fp", "tn")]
        wanted += characteristic_texts(audit[point], "fixed_cut")
    assert [one for one in wanted if one not in text] == []


def test_parts_that_are_not_known_are_said():
    assert "not known" in text_of(PAGES["audit of positives"]())
    assert "not known" not in text_of(PAGES["audit"]())


def test_without_labels_nothing_is_said_of_the_risk_here():
    page = page_of(document(samples.unlabelled_audit()))
    assert page.status.text == "label more"
    keys = [section.key for section in page.sections]
    assert keys == ["bounds", "label-free", "calls", "methods", "checklist"]


def with_names(content, name):
    content["score"] = name
    content["aggregation"][0]["level"] = name
    for row in content.get("candidates", []):
        row["score"] = name
    warnings = content["stability"]["warnings"] if "stability" in content else content["warnings"]
    warnings.append(f"site {name} is odd")
    return content


@pytest.mark.parametrize("name", [SCRIPT, '" onload="alert(1)', "a & b</svg><b>x"])
def test_a_name_stays_text(name):
    comparison = samples.comparison()
    for row in comparison["rows"]:
        row["score"] = row["rule"] = name
    pages = [
        render_document(document(with_names(samples.study(), name)), document(comparison)),
        render_document(document(with_names(samples.labelled_audit(), name))),
    ]
    for page in pages:
        reader = Reader(page)
        assert (reader.tags.count("script"), reader.tags.count("b")) == (1, 0)
        assert f"“{name}”" in "".join(reader.texts)
        assert SCRIPT not in page
        assert 'onload="alert' not in re.sub(r">[^<]*<", "><", page)


def test_a_name_in_another_script_draws_without_a_warning():
    assert "腫瘍" in render_document(document(with_names(samples.study(), "腫瘍")))


def test_a_vacuous_certificate_is_said_in_words():
    wrong_way = fit(samples.cohort(30, 3, ties=True), n_bootstrap=50, direction="le")
    page = page_of(wrong_way.describe())
    assert page.status.text == "not shown to be useful"
    assert page.marks[0].text.startswith("Useful here: cannot tell. Not shown to be better than ")
    assert page.warnings
    plain = page_of(document(samples.study()))
    assert plain.status.text == "useful here"
    assert plain.marks[0].text.startswith("Useful here: yes. Certified: ")


@pytest.mark.parametrize("vacuous", [False, True])
def test_a_vacuous_bound_here_is_said_in_words(vacuous):
    audit = samples.labelled_audit() | {"vacuous": vacuous}
    assert ("The limit here does not show" in render_document(document(audit))) is vacuous


def test_the_source_of_the_data_is_shown_if_known():
    study = samples.study()
    study["data"] = {**DATA, "rows": 12345, "dropped_rows": 17, "sha256": "ab" * 32}
    text = text_of(render_document(document(study)))
    assert all(one in text for one in ("12345", "17", "ab" * 32))
    audit = samples.unlabelled_audit()
    audit["data"] = {**DATA, "rows": 54321}
    assert "54321" in text_of(render_document(document(audit)))


def test_a_rule_that_calls_nobody_has_no_first_score():
    study = samples.study()
    study["operating_value"] = None
    study["operating_point"] |= {"sensitivity": None}
    assert "no patient reaches it" in text_of(render_document(document(study)))


def hide(monkeypatch, missing):
    real = builtins.__import__

    def without(name, *args, **kwargs):
        if name.partition(".")[0] == missing:
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)


def test_without_jinja2_the_error_says_what_to_install(monkeypatch):
    study = document(samples.study())
    environment.cache_clear()
    hide(monkeypatch, "jinja2")
    with pytest.raises(MissingPackage, match=r'pip install "steadycut\[report\]"'):
        render_document(study)


def test_a_page_needs_no_matplotlib(monkeypatch):
    with_matplotlib = PAGES["study"]()
    hide(monkeypatch, "matplotlib")
    assert PAGES["study"].__wrapped__() == with_matplotlib


def test_rendering_changes_nothing():
    study, audit = document(samples.study()), document(samples.labelled_audit())
    render_document(study)
    render_document(audit)
    assert study.to_plain() == samples.study()
    assert audit.to_plain() == samples.labelled_audit()
