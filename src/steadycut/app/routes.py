"""What is asked, what is done, and which page is shown."""

import json
import shutil
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from steadycut._version import __version__
from steadycut.app.fields import (
    COLUMNS_OF_LEVELS,
    PILOT,
    Field,
    Filled,
    arguments,
    asked,
    field_named,
    mapped,
)
from steadycut.app.guard import MEGABYTE, Guard, Settings, too_large
from steadycut.app.jobs import Job, Jobs
from steadycut.app.pages import page, refusal, script, style
from steadycut.app.rules import known_rules
from steadycut.app.told import next_step, told, works_after
from steadycut.app.uploads import save_upload, save_uploads
from steadycut.app.works import FROM_RULE, FROM_TABLES, RULE, STUDY, WORKS
from steadycut.core.aggregate.aggregators import AGGREGATORS, aggregator_names
from steadycut.datasets import write_two_hospitals
from steadycut.documents.kinds import load_frozen
from steadycut.errors import BadOption, BadRuleFile, SteadycutError
from steadycut.ingest.guess import guess_columns, guess_decimal
from steadycut.ingest.preview import preview, separators
from steadycut.ingest.sources.find import KINDS
from steadycut.show.words.fields import in_words, reading_in_words

DEMO = "two_hospitals.csv"
MOST_FILES = 100
MOST_FIELDS = 100_000
# A report may run its own script, but cannot reach the app.
IN_FRAME = "sandbox allow-scripts allow-downloads allow-modals allow-popups; frame-ancestors 'self'"
OTHERS = {"external": ["others"]}
# Works that say how well a rule does.
JUDGING = ("audit", "monitor")
OWN_PATIENTS = (
    "these are the patients that the rule was made from, so it would look too good. Give the table "
    "of another hospital, or pick the column of sites if the rule was made at some of them."
)
# What a new form never takes over: each table needs its own decision.
NEVER_CARRIED = ("force", "missing", "unseen", "worklist")
# Aggregators without a number, as check boxes.
PLAIN = tuple(name for name in aggregator_names() if name in AGGREGATORS)

Commands = Mapping[str, Sequence[Field]]
Answer = Callable[[Request], Awaitable[Response]]
Handler = Callable[[Request, Job], Awaitable[Response]]


class Routes:
    """The answers of one run of the app."""

    def __init__(self, jobs: Jobs, commands: Commands, settings: Settings) -> None:
        self.jobs = jobs
        self.commands = commands
        self.settings = settings

    def all(self) -> list[Route]:
        """Return every address."""
        return [
            Route("/", self.home),
            Route("/style.css", lambda _: style()),
            Route("/app.js", lambda _: script()),
            Route("/demo", self.new_demo, methods=["POST"]),
            *(Route(f"/{kind}", self.new(kind), methods=["POST"]) for kind in WORKS),
            Route("/jobs/{key}", self.with_job(self.show)),
            Route("/jobs/{key}/run", self.with_job(self.run), methods=["POST"]),
            Route("/jobs/{key}/status", self.with_job(self.status)),
            Route("/jobs/{key}/cancel", self.with_job(self.cancel), methods=["POST"]),
            Route("/jobs/{key}/remove", self.with_job(self.remove), methods=["POST"]),
            Route("/jobs/{key}/page", self.with_job(self.page)),
            Route("/jobs/{key}/files/{name}", self.with_job(self.file)),
        ]

    def with_job(self, handler: Handler) -> Answer:
        """Return an answer that finds its job from the address."""

        async def answer(request: Request) -> Response:
            job = self.jobs.find(request.path_params["key"])
            if job is None:
                raise HTTPException(404, "there is no such study here; it may have been removed.")
            return await handler(request, job)

        return answer

    # New jobs ------------------------------------------------------------------------------

    async def home(self, _request: Request) -> Response:
        """Show the first page."""
        return self._home()

    async def new_demo(self, _request: Request) -> Response:
        """Take the simulated table of two hospitals."""
        return await run_in_threadpool(self._begin, "fit", None)

    def new(self, kind: str) -> Answer:
        """Return the answer that takes tables and a rule: uploaded, or those of another job."""

        async def answer(request: Request) -> Response:
            async with request.form(max_files=MOST_FILES) as form:
                source = self.jobs.find(str(form.get("study", "")))
                rule, tables = _files(form, "rule"), _files(form, "tables")
                return await run_in_threadpool(self._begin, kind, tables, source, rule)

        return answer

    def _begin(
        self,
        kind: str,
        tables: Sequence[UploadFile] | None,
        source: Job | None = None,
        rule: Sequence[UploadFile] = (),
    ) -> Response:
        job = self.jobs.open(kind)
        job.origin = "" if source is None else source.key
        lists = [file for file in tables or () if kind == "adapt" and _is_list(file)]
        tables = tables and [file for file in tables if file not in lists]
        if source is not None and not tables:
            job.own_tables = source.kind == "fit" or source.own_tables
        try:
            if job.work.takes_rule:
                _save_rule(job, source, rule)
            if job.work.takes_tables:
                job.tables = _save_tables(job, tables, source)
                job.labels = _save_list(job, lists)
                paths = [job.folder / name for name in job.tables]
                job.columns, job.separators = preview(paths), separators(paths)
        except SteadycutError as error:
            job.remove()
            return self._home(in_words(_in_folder(error.message, job.folder)), status=400)
        except BaseException:
            job.remove()
            raise
        carried = {} if source is None else _carried(job, source, same=not tables)
        job.filled = {**_guessed(job, self.commands[kind]), **carried}
        self.jobs.keep(job)
        if kind == "adapt" and source is not None and source.kind == "audit" and not tables:
            # The patients of an audit have all that is needed; the rule knows its scores.
            fields = self.commands[kind]
            known = {field.name for field in (*mapped(fields), *asked(fields))}
            filled = {name: job.filled[name] for name in known & job.filled.keys()}
            job.start(self._typed(job, filled))
        return _to(job)

    def _typed(self, job: Job, filled: Filled) -> list[str]:
        """Return the arguments; a list has the labels, or says whom to label."""
        if job.labels or any(filled.get("worklist", ())):
            filled = {**filled, "label": ()}
        return arguments(filled, self.commands[job.kind], job.columns)

    def _home(self, error: str = "", status: int = 200) -> Response:
        return page(
            "home",
            status,
            jobs=list(self.jobs),
            rules=known_rules(self.jobs),
            from_tables=FROM_TABLES,
            from_rule=FROM_RULE,
            plan=WORKS["plan"],
            error=error,
            endings=tuple(KINDS),
            version=__version__,
            **self._limit(),
        )

    def _limit(self) -> dict[str, Any]:
        """Return what a page needs to refuse a large upload before sending it."""
        limit = self.settings.limit
        return {"limit": limit, "limit_bytes": limit * MEGABYTE, "too_large": too_large(limit)}

    # One job -------------------------------------------------------------------------------

    async def show(self, request: Request, job: Job) -> Response:
        """Show the form, the progress, or the result."""
        state = job.state
        if state == "running":
            return page("running", job=job, progress=job.progress())
        if state == "done" and "edit" not in request.query_params:
            return self._result(job)
        return self._form(job, job.why_failed() if state == "failed" else "")

    def _result(self, job: Job) -> Response:
        shown_page = told(job)
        work, sentence = next_step(job, shown_page)
        # A plan has no table; it hands on those of the result that it began from.
        origin = job if job.tables else self.jobs.find(job.origin) or job
        return page(
            "result",
            job=job,
            origin=origin,
            told=shown_page,
            next_step=sentence,
            next_work=work,
            works=works_after(origin),
            lines=job.lines(),
            **self._limit(),
        )

    async def run(self, request: Request, job: Job) -> Response:
        """Start the command with what was filled in."""
        async with request.form(max_fields=MOST_FIELDS) as form:
            filled = {name: [str(value) for value in form.getlist(name)] for name in form}
        filled = _only_new_sites(filled, job)
        if job.own_tables and job.kind in JUDGING and not _has_new_sites(filled, job):
            job.filled = filled
            return self._form(job, OWN_PATIENTS)
        try:
            self._copy_pilot(job, filled)
            job.start(self._typed(job, filled))
        except (SteadycutError, OSError) as error:
            raise HTTPException(409, _in_folder(str(error), job.folder)) from None
        job.filled = filled
        return _to(job)

    def _copy_pilot(self, job: Job, filled: Filled) -> None:
        """Copy the numbers of the study that was picked, if there is one."""
        for key in filter(None, filled.get(PILOT, ())):
            study = self.jobs.find(key)
            made = None if study is None else study.result(STUDY)
            if made is None:
                raise BadOption("the study that was picked is not here any more; pick another one.")
            shutil.copyfile(made, job.folder / STUDY)

    async def status(self, _request: Request, job: Job) -> Response:
        """Return the progress."""
        return JSONResponse({"state": job.state, **asdict(job.progress())})

    async def cancel(self, _request: Request, job: Job) -> Response:
        """Stop the work."""
        await run_in_threadpool(job.cancel)
        return _to(job)

    async def remove(self, _request: Request, job: Job) -> Response:
        """Delete a job and its files."""
        await run_in_threadpool(self.jobs.remove, job)
        return RedirectResponse("/", status_code=303)

    async def page(self, _request: Request, job: Job) -> Response:
        """Show the report, inside a frame."""
        path = _result(job, job.work.page or "")
        return FileResponse(path, headers={"Content-Security-Policy": IN_FRAME})

    async def file(self, request: Request, job: Job) -> Response:
        """Return one of the files with results."""
        path = _result(job, request.path_params["name"])
        return FileResponse(path, filename=path.name)

    def _form(self, job: Job, error: str) -> Response:
        fields = self.commands[job.kind]
        return page(
            "form",
            job=job,
            error=error,
            named=field_named(error, job.filled, fields, job.columns),
            reading=reading_in_words(job.separators, *job.filled.get("decimal", ())[:1]),
            filled=job.filled,
            mapped=[
                f for f in mapped(fields) if job.columns and not (f.name == "label" and job.labels)
            ],
            fields=asked(fields),
            with_scores=any(field.name == "aggregate" for field in fields),
            studies=[rule for rule in known_rules(self.jobs) if rule.job.result(STUDY)],
            levels=range(COLUMNS_OF_LEVELS),
            plain=PLAIN,
            aggregators=aggregator_names(),
        )


def make_app(jobs: Jobs, commands: Commands, settings: Settings) -> Guard:
    """Return the app behind its guard; ``commands`` has the options of every command."""
    app = Starlette(
        routes=Routes(jobs, commands, settings).all(),
        exception_handlers={HTTPException: _refuse, Exception: _admit},
    )
    return Guard(app, settings)


async def _refuse(_request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101
    return refusal(error.status_code, error.detail)


async def _admit(_request: Request, error: Exception) -> Response:
    """Say that steadycut failed. The text of an unknown error may contain cells of the table."""
    return refusal(500, f"{type(error).__name__}: this is a fault of steadycut; please report it.")


def _files(form: FormData, name: str) -> list[UploadFile]:
    """Return uploaded files; an empty field sends a file without a name."""
    return [file for file in form.getlist(name) if isinstance(file, UploadFile) and file.filename]


def _is_list(file: UploadFile) -> bool:
    """Whether a table is a list of patients to label, as steadycut wrote it."""
    first = file.file.readline().decode(errors="replace").strip("\ufeff\r\n")
    file.file.seek(0)
    return {"patient", "purpose", "label"} <= set(first.replace('"', "").split(","))


def _save_tables(
    job: Job, tables: Sequence[UploadFile] | None, source: Job | None
) -> tuple[str, ...]:
    if tables is None:
        write_two_hospitals(job.folder / DEMO)
        return (DEMO,)
    if source is None or tables:
        return save_uploads(tables, job.folder)
    for name in source.tables:
        shutil.copyfile(source.folder / name, job.folder / name)
    return source.tables


def _save_list(job: Job, lists: Sequence[UploadFile]) -> str:
    if len(lists) > 1:
        raise BadOption("one list of labels must be given; got more. Join them.")
    return "".join(save_uploads(lists, job.folder))


def _save_rule(job: Job, source: Job | None, rule: Sequence[UploadFile]) -> None:
    """Save the rule of another job, or an uploaded one if it can be read."""
    path = job.folder / RULE
    made = None if source is None else source.rule
    if len(rule) + (made is not None) > 1:
        msg = "one rule must be given, picked or as a file; got more. Leave the others out."
        raise BadRuleFile(msg)
    if made is not None:
        shutil.copyfile(made, path)
    elif rule:
        save_upload(rule[0], path)
    else:
        raise BadRuleFile("a rule must be given, the rule.json of a study; got none.")
    frozen = load_frozen(path)
    columns = frozen.document.columns
    job.known_columns = {"patient": columns.patient, "label": columns.label, "site": columns.site}
    # New patients may well be watched at a site where the rule was made.
    only_new = job.kind == "audit" or job.own_tables
    job.known_sites = frozenset(frozen.expected.sites if only_new else ())


def _carried(job: Job, source: Job, *, same: bool) -> dict[str, Sequence[str]]:
    """Return what a new job takes over from another one; columns only with the same tables."""
    kept = dict(source.filled) if same else {}
    carried = {name: values for name, values in kept.items() if name not in NEVER_CARRIED}
    if job.kind == "audit" == source.kind:
        # From the second look on, only these limits hold.
        carried["sequential"] = ["on"]
    if job.kind == "plan" and source.result(STUDY):
        carried[PILOT] = [source.key]
    elif job.kind == "plan" and source.kind == "audit" and source.state == "done":
        carried |= _seen(source)
    return carried


def _seen(audit: Job) -> dict[str, Sequence[str]]:
    """Return the costs of an audit, and the cost per patient that it found, if it had labels."""
    numbers = json.loads(audit.numbers())
    costs = numbers.get("costs") or {}
    known = {"risk": numbers.get("risk_external"), **costs}
    asked = {name: known.get(name) for name in ("risk", "cost_fn", "cost_fp")}
    return {name: [f"{value:.4g}"] for name, value in asked.items() if value is not None}


def _only_new_sites(filled: dict[str, list[str]], job: Job) -> dict[str, list[str]]:
    """Judge on sites where the rule was not made, if no site was picked."""
    picked = any(filled.get("external", ()))
    return filled if picked or not _has_new_sites(filled, job) else {**filled, **OTHERS}


def _has_new_sites(filled: Filled, job: Job) -> bool:
    """Whether sites are known at which the rule was not made."""
    return any(filled.get("site", ())) and bool(job.known_sites)


def _in_folder(text: str, folder: Path) -> str:
    """Return the text of an error in one line, with files named as seen from their folder."""
    return " ".join(text.replace(f"{folder}/", "").split())


def _guessed(job: Job, fields: Sequence[Field]) -> Filled:
    guess = guess_columns(job.columns)
    order = None if job.kind == "adapt" else guess.order
    places = {"patient": guess.patient, "label": guess.label, "site": guess.site, "order": order}
    return {
        **{field.name: [field.default] for field in fields},
        **{name: [str(at)] for name, at in places.items() if at is not None},
        **job.places_of_known_columns(),
        "score": [str(at) for at in guess.scores],
        # A rule has its own.
        "positive": ["" if job.work.takes_rule else guess.positive],
        "aggregate": ["mean"],
        "decimal": [guess_decimal(job.columns)],
    }


def _result(job: Job, name: str) -> Path:
    path = job.result(name)
    if path is None:
        raise HTTPException(404, "there is no such file here.")
    return path


def _to(job: Job) -> Response:
    return RedirectResponse(f"/jobs/{job.key}", status_code=303)
