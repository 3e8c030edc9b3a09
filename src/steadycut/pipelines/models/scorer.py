"""A model of any kind: batches in, one score per row out."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from steadycut.core.checks import FloatArray, refuse
from steadycut.errors import BadFile, BadOption, refusing
from steadycut.io.files import hash_file
from steadycut.pipelines.models.interface import Model, RunOptions
from steadycut.pipelines.models.onnx_backend import OnnxModel
from steadycut.pipelines.models.torch_backend import ENDINGS, TorchModel

CANNOT = "the model cannot score its input: {why}"


class Scorer:
    """A loaded model whose output becomes scores; safe to call from several threads."""

    def __init__(self, path: Path, options: RunOptions, n_axes: int) -> None:
        if not path.is_file():
            raise BadOption(f"there is no model {path}. Give an ONNX or PyTorch file as --model.")
        self.options = options
        kind = TorchModel if path.suffix.lower() in ENDINGS else OnnxModel
        self.model: Model = kind(path, options)
        # TorchScript does not state the shape of its input.
        if self.model.shape and len(self.model.shape) != n_axes:
            shape = list(self.model.shape)
            msg = f"the model {path} must take a batch with {n_axes} axes; its input is {shape}."
            raise BadOption(msg)
        self.fingerprint = {
            "sha256": hash_file(path),
            **asdict(options),
            "device": self.model.device,
        }

    def score_batch(self, inputs: Any) -> FloatArray:
        """Return one score per row of the model's input."""
        fixed, n_rows = next(iter(self.model.shape), None), len(inputs)
        size = fixed if isinstance(fixed, int) else max(n_rows, 1)
        batches = [self._run(inputs[at : at + size], size) for at in range(0, n_rows, size)]
        return self.scores(np.concatenate(batches))

    def scores(self, output: FloatArray) -> FloatArray:
        """Return the scores that an output stands for."""
        scores = self._scores(output.astype(float))
        if not np.isfinite(scores).all():
            n_bad = int((~np.isfinite(scores)).sum())
            raise BadFile(f"the model gave NaN or infinity for {n_bad} rows. Check its input.")
        return scores

    def _run(self, inputs: Any, size: int) -> FloatArray:
        n_rows = len(inputs)
        # A short batch is filled up with its last row.
        full = inputs if n_rows == size else inputs[np.arange(size).clip(max=n_rows - 1)]
        # The exceptions of the runtimes share no named base.
        with refusing(BadOption, CANNOT, Exception):
            output = self.model.run(full)
        check_rows(output, size)
        return output[:n_rows]

    def _scores(self, output: FloatArray) -> FloatArray:
        rows = output.reshape(len(output), -1)
        column = positive_column(rows.shape[1], self.options.positive)
        if self.options.activation == "softmax":
            rows = np.exp(rows - rows.max(axis=1, keepdims=True))
            rows /= rows.sum(axis=1, keepdims=True)
        score = rows[:, column]
        return 1 / (1 + np.exp(-score)) if self.options.activation == "sigmoid" else score


def check_rows(output: FloatArray, n_rows: int) -> None:
    """Refuse an output that does not have one row per item."""
    if output.shape[:1] != (n_rows,):
        raise BadOption(
            f"the model must give one row per item; its output has shape {output.shape} for "
            f"{n_rows} items. Choose another output with --output."
        )


def positive_column(n_columns: int, positive: int | None) -> int:
    """Return which column of the output is the score.

    Examples
    --------
    >>> positive_column(1, None), positive_column(2, None), positive_column(5, 3)
    (0, 1, 3)
    """
    if positive is None and n_columns <= 2:  # noqa: PLR2004
        return n_columns - 1
    if positive is None or not 0 <= positive < n_columns:
        refuse("--positive", f"be a column of the output, 0 to {n_columns - 1}", positive)
    return positive
