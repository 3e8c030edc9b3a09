"""Whole-slide images: tissue, tiles, quality, scores of any ONNX model, one table a slide."""

from steadycut.pipelines.slides.model import ModelOptions, TileModel
from steadycut.pipelines.slides.options import TileOptions
from steadycut.pipelines.slides.pipeline import Job, SlideResult, score_slides

__all__ = ["Job", "ModelOptions", "SlideResult", "TileModel", "TileOptions", "score_slides"]
