"""Names and values of an uploaded table never become markup of the app's pages."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from benchmarks.trust.leaks import HOSTILE, ROLES, Elements, rows
from tests.app.client import upload, wait

FILLED = {"patient": "1", "label": "4", "site": "0", "score": "3", "bootstrap": "10"}


def table(folder, text, name):
    columns = [f"{text}{role}" for role in ROLES]
    cells = rows(columns, text, text, (f"{text}N", f"{text}S"), (f"{text}0", f"{text}1"), 0)
    pq.write_table(pa.table(cells), folder / "t.parquet")
    path = folder / name
    (folder / "t.parquet").rename(path)
    return path


def pages(client, path, text):
    """The form, what was refused, and the start page with the job in its list."""
    place = upload(client, path).headers["location"]
    form = client.get(place).text
    filled = {**FILLED, "positive": f"{text}no", "internal": text or "x"}
    client.post(f"{place}/run", data=filled, follow_redirects=False)
    found = [form, wait(client, place).text, client.get("/").text]
    client.post(f"{place}/remove")
    return found


@pytest.mark.parametrize("name", ["t.parquet", "<img src=x onerror=alert(1)>.parquet"])
def test_hostile_names_values_and_files_stay_texts(client, tmp_path, name):
    text = "".join(HOSTILE)
    plain = pages(client, table(tmp_path, "plain", "t.parquet"), "plain")
    found = pages(client, table(tmp_path, text, name), text)
    for page, usual in zip(found, plain, strict=True):
        one, other = Elements(page), Elements(usual)
        assert set(one.attributes) <= set(other.attributes)
        assert one.tags["script"] == other.tags["script"]
        assert one.script == other.script


@pytest.mark.parametrize(
    "name", ["../../x.csv", "..\\x.csv", "/etc/x.csv", ".x.csv", "a/../../x.csv"]
)
def test_no_name_leads_out_of_the_folder_of_a_job(client, folder, name):
    answer = client.post(
        "/fit", files=[("tables", (name, b"patient,score,label\n1,2,0\n"))], follow_redirects=False
    )
    place = answer.headers["location"]
    assert [path.name for path in (folder / place.rpartition("/")[2]).iterdir()] == ["x.csv"]
    assert len(list(folder.iterdir())) == 1
    client.post(f"{place}/remove")


def test_no_folder_is_listed(client):
    for place in ("/jobs", "/jobs/", "/files", "/static/", "/templates/"):
        assert client.get(place).status_code == 404
