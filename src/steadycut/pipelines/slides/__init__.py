"""Whole-slide images: find tissue, cut tiles, score them with a model.

============  ===============================================================
``options``   how tiles are cut and which are kept
``reader``    open a slide and read its pixels
``tissue``    find the tissue on a small picture of the slide
``tiles``     the grid of tiles, and reading them
``jpeg``      tiles as they lie in a TIFF file
``quality``   sharpness and brightness of tiles
``model``     the model that scores tiles
``overlay``   a picture of the slide with the scores as colours
``pipeline``  all steps, and one table per slide
============  ===============================================================
"""

from steadycut.pipelines.slides.model import ModelOptions, TileModel
from steadycut.pipelines.slides.options import TileOptions
from steadycut.pipelines.slides.pipeline import Job, SlideResult, score_slides

__all__ = ["Job", "ModelOptions", "SlideResult", "TileModel", "TileOptions", "score_slides"]
