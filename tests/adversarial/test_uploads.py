"""Hostile files through the local page: a page or one line, never a fault of the server."""

import numpy as np
import pytest

from benchmarks.trust.hostile.damage import FILES, ROWS, damage
from benchmarks.trust.hostile.tables import FORMS
from tests.app.client import make_client, upload

FAULT = 500


@pytest.mark.parametrize("form", FILES)
def test_damaged_uploads(form, tmp_path):
    rng = np.random.default_rng(0)
    private = tmp_path / "private"
    private.mkdir()
    client, jobs = make_client(private)
    for _ in range(5):
        path = FORMS[form](ROWS, tmp_path)
        path.write_bytes(damage(path.read_bytes(), rng))
        answer = upload(client, path)
        assert answer.status_code < FAULT
        assert "Traceback" not in answer.text
    jobs.close()
