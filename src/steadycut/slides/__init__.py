"""Whole-slide images: tissue, tiles, quality, scores of any ONNX model, one table a slide."""

from steadycut.slides.model import ModelOptions, TileModel
from steadycut.slides.options import TileOptions
from steadycut.slides.pipeline import Job, SlideResult, score_slides

__all__ = ["Job", "ModelOptions", "SlideResult", "TileModel", "TileOptions", "score_slides"]
