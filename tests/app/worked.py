"""Every kind of work of the app, done once, and what the pages say in words."""

from html.parser import HTMLParser

from tests.app.client import FILLED, start, upload, wait

# What a reader does not read as a sentence: programs, and the command line for engineers.
NOT_READ = {"script", "style", "pre"}
SPOKEN = {"title", "aria-label", "placeholder", "data-refusal"}
PATIENTS = {"label": "5", "site": "0"}
WAYS = {
    "audit": {**PATIENTS, "external": "south"},
    "adapt": {"prevalence": "30 %"},
    "apply": {},
    "monitor": {**PATIENTS, "external": "south", "order": "6"},
    "compare": {**FILLED, "external": "south"},
    "plan": {"width": "0.1"},
}
WRONG = {
    "fit": {"patient": "1", "label": "5", "score": "3", "rule": "best"},
    "audit": {**WAYS["audit"], "external": "west"},
    "adapt": {"prevalence": "30"},
    "apply": {"missing": "x"},
    "monitor": {**WAYS["monitor"], "order": ""},
    "compare": {**WAYS["compare"], "internal": ""},
    "plan": {"risk": "0.1"},
}


class Worked:
    """A client with a study, and everything that can be done with it.

    ``forms``, ``results`` and ``refusals`` are the pages of each kind of work, ``places`` and
    ``wrong`` the addresses of the last two.
    """

    def __init__(self, client, jobs, table):
        self.client, self.jobs, self.table = client, jobs, table
        self.south = table.with_name("south.csv")
        lines = table.read_text(encoding="utf-8").splitlines(keepends=True)
        kept = [line for line in lines if not line.startswith("north")]
        self.south.write_text("".join(kept), encoding="utf-8")
        self.first = client.get("/").text
        answer = upload(client, table)
        place = answer.headers["location"]
        self.forms = {"fit": client.get(place).text}
        start(client, answer, **FILLED)
        self.results = {"fit": wait(client, place).text}
        self.places = {"fit": place}
        for kind, filled in WAYS.items():
            pilot = {"pilot": self.key("fit")} if kind == "plan" else {}
            place = self.begin(kind)
            self.forms[kind] = client.get(place).text
            self.results[kind] = self.run(place, **filled, **pilot)
            self.places[kind] = place
        assert all("<h2>Keep</h2>" in page for page in self.results.values())
        self.home = client.get("/").text
        self.wrong = {kind: self.begin(kind) for kind in WRONG}
        self.refusals = {kind: self.run(self.wrong[kind], **WRONG[kind]) for kind in WRONG}

    def key(self, kind):
        """Return the key of a job."""
        return self.places[kind].rpartition("/")[2]

    def begin(self, kind, source="fit", *, own_tables=True):
        """Begin a work with the rule and the table of another one; return its address."""
        # A rule is adapted to the patients of one hospital.
        south = [("tables", (self.south.name, self.south.read_bytes()))]
        own = south if kind == "adapt" and own_tables else []
        answer = self.client.post(
            f"/{kind}",
            data={"study": self.key(source)},
            files=own or {"x": b""},
            follow_redirects=False,
        )
        return answer.headers["location"]

    def run(self, place, **filled):
        """Fill in a form, and return the page that follows."""
        self.client.post(f"{place}/run", data=filled, follow_redirects=False)
        return wait(self.client, place).text

    def files(self, kind):
        """Return the files that can be downloaded, by name."""
        job = self.jobs.find(self.key(kind))
        found = {
            name: self.client.get(f"{self.places[kind]}/files/{name}")
            for name in job.work.results
            if job.result(name)
        }
        return {name: answer.content for name, answer in found.items()}


class Words(HTMLParser):
    """The texts of a page that a person reads or hears."""

    def __init__(self, page):
        super().__init__()
        self.texts, self._inside = [], []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        """Note where we are, and keep what is spoken."""
        if tag in NOT_READ:
            self._inside.append(tag)
        self.texts += [value for name, value in attrs if name in SPOKEN and value]

    def handle_endtag(self, tag):
        """Note where we are."""
        if tag in NOT_READ:
            self._inside.pop()

    def handle_data(self, data):
        """Keep a text."""
        if not self._inside and data.strip():
            self.texts.append(" ".join(data.split()))
