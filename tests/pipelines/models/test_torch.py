"""PyTorch models give the scores of the same ONNX model, and no pickle is ever read.

Skipped without PyTorch, which is too large for the developers' set: `make torch` runs them.
"""

import io
import pickle
import re
import zipfile
from unittest.mock import MagicMock

import numpy as np
import pytest

from steadycut.cli.main import run
from steadycut.errors import BadOption
from steadycut.pipelines.slides import Job, ModelOptions, TileModel, TileOptions, score_slides
from steadycut.pipelines.slides.quality import tile_quality
from tests.pipelines.slides.making import Drawing, write_jpeg_slide, write_model
from tests.pipelines.tables import read_parquet

torch = pytest.importorskip("torch", reason="PyTorch is too large for the developers' set")
pytestmark = pytest.mark.filterwarnings("ignore")
TILES = np.random.default_rng(0).integers(0, 256, (5, 32, 32, 3), dtype=np.uint8)


class Colour(torch.nn.Module):
    """The model of `write_model`: near 1 for blue and near 0 for red."""

    def __init__(self):
        super().__init__()
        self.end = torch.nn.Linear(3, 1)
        with torch.no_grad():
            self.end.weight.copy_(torch.tensor([[-12.0, -12.0, 12.0]]))
            self.end.bias.fill_(2.0)

    def forward(self, x):
        return torch.sigmoid(self.end(x.mean(dim=(2, 3))))


def export(path, model=None, example=None, n="auto"):
    example = torch.zeros(2, 3, 32, 32) if example is None else example
    shapes = ({0: torch.export.Dim.AUTO},) if n == "auto" else None
    program = torch.export.export((model or Colour()).eval(), (example,), dynamic_shapes=shapes)
    torch.export.save(program, path)
    return path


def script(path, model=None):
    torch.jit.save(torch.jit.script((model or Colour()).eval()), path)
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    where = tmp_path_factory.mktemp("torch")
    write_model(where / "m.onnx")
    export(where / "m.pt2")
    script(where / "m.pt")
    return where


def expected(folder):
    return TileModel(folder / "m.onnx", ModelOptions()).score(TILES)


@pytest.mark.parametrize("name", ["m.pt2", "m.pt"])
@pytest.mark.parametrize("normalize", ["unit", "imagenet", "none"])
def test_scores_are_those_of_onnx(folder, name, normalize):
    onnx, ours = (
        TileModel(folder / file, ModelOptions(normalize=normalize)).score(TILES)
        for file in ("m.onnx", name)
    )
    np.testing.assert_allclose(ours, onnx, atol=1e-5)


def test_size_and_batch_of_an_exported_program(folder, tmp_path):
    path = export(tmp_path / "fixed.pt2", example=torch.zeros(2, 3, 16, 16), n=2)
    scores = TileModel(path, ModelOptions()).score(TILES)
    np.testing.assert_allclose(scores, expected(folder), atol=2e-3)


def test_timm_with_its_weights(tmp_path):
    timm = pytest.importorskip("timm", reason="timm needs torchvision, which needs all of PyTorch")
    from safetensors.torch import save_file

    model = timm.create_model("resnet18", pretrained=False, num_classes=2).eval()
    save_file(model.state_dict(), tmp_path / "w.safetensors")
    how = ModelOptions(architecture="resnet18", activation="softmax", device="cpu")
    scores = TileModel(tmp_path / "w.safetensors", how).score(TILES)
    with torch.no_grad():
        by_hand = model(torch.from_numpy(TILES).permute(0, 3, 1, 2) / 255).softmax(1)[:, 1]
    np.testing.assert_allclose(scores, by_hand, atol=1e-5)
    with pytest.raises(BadOption, match="does not hold weights of resnet34"):
        TileModel(tmp_path / "w.safetensors", ModelOptions(architecture="resnet34"))


@pytest.mark.parametrize("n", [2, 5, 8])
@pytest.mark.parametrize("name", ["m.pt2", "fixed.pt2"])
def test_a_gpu_judges_tiles_as_numpy_and_the_model_do(folder, tmp_path, monkeypatch, name, n):
    """The same steps on the CPU: blocks are filled up, and a model has its own size of a block."""
    export(tmp_path / "fixed.pt2", example=torch.zeros(2, 3, 16, 16), n=2)
    model = TileModel((folder if name == "m.pt2" else tmp_path) / name, ModelOptions())
    assert model.judge(TILES, n) is None
    monkeypatch.setattr(model.model, "stream", "a stream")
    for part in ("stream", "current_stream", "Event", "CUDAGraph"):
        monkeypatch.setattr(torch.cuda, part, MagicMock())
    monkeypatch.setattr(torch.cuda, "graph", MagicMock(side_effect=RuntimeError))
    for tiles in (TILES, TILES[:3]):
        quality, output = model.judge(tiles, n)
        plain = tile_quality(tiles)
        np.testing.assert_allclose(quality.sharpness, plain.sharpness, rtol=1e-5)
        np.testing.assert_allclose(quality.brightness, plain.brightness, rtol=1e-6)
        np.testing.assert_allclose(model.scores(output), model.score(tiles), atol=1e-6)
    (recording,) = model.model.recordings.values()
    assert recording.graph is None
    assert len(recording.given) == (n if name == "m.pt2" else 2)


class Bomb:
    def __reduce__(self):
        return (open, (str(Bomb.mark), "w"))


def hostile_pt2(path, source):
    """Put a pickle that opens a file in place of each part of an exported program."""
    sink = io.BytesIO()
    torch.save({"x": Bomb()}, sink)
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(path, "w") as new:
        for name in old.namelist():
            loaded = name.endswith(".pt") or "sample_inputs" in name
            new.writestr(name, sink.getvalue() if loaded else old.read(name))


def test_no_pickle_is_read(folder, tmp_path):
    Bomb.mark = tmp_path / "ran"
    torch.save(Bomb(), tmp_path / "zip.pth")
    (tmp_path / "plain.pt").write_bytes(pickle.dumps(Bomb()))
    hostile_pt2(tmp_path / "bad.pt2", folder / "m.pt2")
    for name, says in [("zip.pth", "torch.export"), ("plain.pt", "torch.export"), ("bad.pt2", "")]:
        with pytest.raises(BadOption, match=says):
            TileModel(tmp_path / name, ModelOptions())
    assert not Bomb.mark.exists()
    (tmp_path / "w.safetensors").write_bytes(b"")
    with pytest.raises(BadOption, match="--architecture"):
        TileModel(tmp_path / "w.safetensors", ModelOptions())


@pytest.mark.parametrize("text", ["expr_str", "name"])
def test_no_text_of_an_exported_program_is_run(text, folder, tmp_path):
    mark, bad = tmp_path / "ran", tmp_path / "bad.pt2"
    code = f"__import__('pathlib').Path('{mark}').touch()"
    with zipfile.ZipFile(folder / "m.pt2") as old, zipfile.ZipFile(bad, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name.endswith("models/model.json"):
                plain = content.decode()
                content = re.sub(f'"{text}": "[^"]*"', f'"{text}": "{code}"', plain).encode()
                assert code in content.decode()
            new.writestr(name, content)
    with pytest.raises(BadOption, match="could be code"):
        TileModel(bad, ModelOptions())
    assert not mark.exists()


def test_a_gpu_that_cannot_start_is_an_error(folder, tmp_path, capsys):
    if torch.cuda.is_available():
        pytest.skip("this machine has a GPU")
    write_jpeg_slide(tmp_path / "a.tif", Drawing())
    words = ["score-slides", str(tmp_path / "a.tif"), "--model", str(folder / "m.pt2")]
    words += ["--out", str(tmp_path / "out")]
    assert run([*words, "--device", "cuda"]) == 2
    assert "the GPU cannot be used" in capsys.readouterr().err
    assert run([*words, "--fast"]) == 2
    assert "--fast needs a GPU" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_slides_get_the_scores_of_onnx(folder, tmp_path, device):
    """The threads, the decoder and the quality of tiles on a GPU, if there is one."""
    if device == "cuda" and not torch.cuda.is_available():
        pytest.skip("this machine has no GPU")
    lesion = Drawing(lesions=((512, 256, 256),), blurred=(256, 512, 256))
    paths = [tmp_path / f"s{number}.tif" for number in range(4)]
    for number, path in enumerate(paths):
        write_jpeg_slide(path, lesion, seed=number)
    tables = {}
    for name, device_of in (("m.onnx", "cpu"), ("m.pt2", device)):
        model = TileModel(folder / name, ModelOptions(device=device_of))
        assert model.fingerprint["device"] == device_of
        options = TileOptions(tile=64, mpp=0.5, batch=16)
        job = Job(model=model, options=options, out=tmp_path / name, n_jobs=3)
        done, problems = score_slides(paths, job)
        assert problems == []
        tables[name] = [read_parquet(one.table) for one in done]
    # The CPU sums 4,096 pixels in another order; the GPU has another JPEG decoder.
    close = {"cpu": 5e-5, "cuda": 0.02}[device]
    for ours, plain in zip(tables["m.pt2"], tables["m.onnx"], strict=True):
        np.testing.assert_array_equal(ours["x"], plain["x"])
        np.testing.assert_allclose(ours["score"], plain["score"], atol=close)
