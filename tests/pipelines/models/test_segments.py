"""Any model scores segments of ECGs, not only our logistic regression."""

import numpy as np
import pytest

from steadycut.cli.main import run
from steadycut.errors import BadOption
from steadycut.pipelines.models.interface import RunOptions
from steadycut.pipelines.models.scorer import Scorer
from tests.pipelines.ecg.making import make_ecg, write_record
from tests.pipelines.tables import read_parquet

torch = pytest.importorskip("torch", reason="PyTorch is too large for the developers' set")
pytestmark = pytest.mark.filterwarnings("ignore")


class Energy(torch.nn.Module):
    """Segments (segment, lead, sample) -> their mean absolute value."""

    def forward(self, x):
        return x.abs().mean(dim=(1, 2))


def test_any_model_scores_segments(tmp_path, capsys):
    rng = np.random.default_rng(0)
    for number in range(3):
        write_record(tmp_path / "in" / f"r{number}", make_ecg(rng)[1])
    batch = ({0: torch.export.Dim.AUTO},)
    example = (torch.zeros(2, 12, 2500),)
    program = torch.export.export(Energy(), example, dynamic_shapes=batch)
    torch.export.save(program, tmp_path / "e.pt2")
    words = ["score-ecg", str(tmp_path / "in"), "--model", str(tmp_path / "e.pt2")]
    assert run([*words, "--out", str(tmp_path / "out"), "--jobs", "2"]) == 0
    table = read_parquet(tmp_path / "out" / "segments.parquet")
    assert table["score"].size == 9
    assert ((table["score"] > 0.1) & (table["score"] < 1.0)).all()
    assert not (tmp_path / "out" / "scorer.json").exists()
    assert '"device": "cpu"' in (tmp_path / "out" / "ecg.json").read_text()
    with pytest.raises(BadOption, match="must take a batch with 4 axes"):
        Scorer(tmp_path / "e.pt2", RunOptions(), 4)
    assert run([*words[:2], "--activation", "sigmoid", "--out", str(tmp_path / "no")]) == 2
    assert "need --model" in capsys.readouterr().err
