"""Models of every layout, size and ending give the same scores."""

import numpy as np
import pytest

from steadycut.errors import BadOption
from steadycut.pipelines.models.scorer import positive_column
from steadycut.pipelines.slides import ModelOptions, TileModel
from tests.pipelines.slides.making import LESION, TISSUE, write_model

PIXELS = np.array([TISSUE, LESION, TISSUE], dtype=np.uint8)[:, None, None]
TILES = PIXELS.repeat(32, 1).repeat(32, 2)
MEANS = TILES[:, 0, 0] / 255
EXPECTED = 1 / (1 + np.exp(-(MEANS @ [-12.0, -12.0, 12.0] + 2)))


@pytest.mark.parametrize(
    ("made", "asked"),
    [
        ({}, {}),
        ({"layout": "nhwc"}, {}),
        ({"inputs": "uint8"}, {}),
        ({"batch": 2}, {}),
        ({"batch": 1, "layout": "nhwc"}, {}),
        ({"edge": 16}, {}),
        ({"edge": 48}, {}),
        ({"end": None}, {"activation": "sigmoid"}),
        ({"end": "Softmax"}, {}),
        ({"end": "Softmax"}, {"positive": 1}),
    ],
)
def test_scores(tmp_path, made, asked):
    model = TileModel(write_model(tmp_path / "m.onnx", **made), ModelOptions(**asked))
    np.testing.assert_allclose(model.score(TILES), EXPECTED, atol=1e-5)


def test_softmax_of_two_logits(tmp_path):
    path = write_model(tmp_path / "m.onnx", end="Softmax")
    raw = TileModel(path, ModelOptions(positive=0)).score(TILES)
    np.testing.assert_allclose(raw, 1 - EXPECTED, atol=1e-5)


@pytest.mark.parametrize("layout", ["nchw", "nhwc"])
def test_normalisation_by_hand(tmp_path, layout):
    path = write_model(tmp_path / "m.onnx", layout=layout)
    pixel = TILES[1, 0, 0].astype(float)
    by_hand = {
        "none": pixel,
        "unit": pixel / 255,
        "minus-one-one": pixel / 127.5 - 1,
        "imagenet": (pixel / 255 - [0.485, 0.456, 0.406]) / [0.229, 0.224, 0.225],
    }
    for name, expected in by_hand.items():
        fed = TileModel(path, ModelOptions(normalize=name)).prepare(TILES)
        shown = fed[1, :, 0, 0] if layout == "nchw" else fed[1, 0, 0]
        np.testing.assert_allclose(shown, expected, rtol=1e-5, atol=1e-5)
        assert fed.dtype == np.float32


def test_refusals(tmp_path):
    path = write_model(tmp_path / "m.onnx")
    (tmp_path / "broken.onnx").write_bytes(b"nothing")
    with pytest.raises(BadOption, match="cannot load the model"):
        TileModel(tmp_path / "broken.onnx", ModelOptions())
    with pytest.raises(BadOption, match=r"--output must be one of y; got 'z'"):
        TileModel(path, ModelOptions(output="z"))
    with pytest.raises(BadOption, match="0 to 4; got None"):
        positive_column(5, None)
    with pytest.raises(BadOption, match="--layout"):
        TileModel(write_model(tmp_path / "odd.onnx", edge=3), ModelOptions())
    with pytest.raises(BadOption, match="cannot score its input"):
        TileModel(path, ModelOptions(layout="nhwc")).score(TILES)


def test_a_gpu_that_does_not_start_is_an_error(tmp_path, monkeypatch):
    """ONNX Runtime for GPUs runs on the CPU if no GPU starts; here it is only said to be one."""
    import onnxruntime

    known = ["CUDAExecutionProvider", "CPUExecutionProvider"]
    monkeypatch.setattr(onnxruntime, "get_available_providers", lambda: known)
    usual = onnxruntime.InferenceSession
    monkeypatch.setattr(
        onnxruntime,
        "InferenceSession",
        lambda *given, providers: usual(*given, providers=["CPUExecutionProvider"]),
    )
    with pytest.raises(BadOption, match="the GPU cannot be used"):
        TileModel(write_model(tmp_path / "m.onnx"), ModelOptions(device="cuda"))
