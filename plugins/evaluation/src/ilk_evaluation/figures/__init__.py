"""Figures of an experiment, by name: drawn on matplotlib's axes, for files and the report."""

from ilk_evaluation.figures.catalogue import draw, offered
from ilk_evaluation.figures.offer import Offer
from ilk_evaluation.figures.picture import Picture

__all__ = ["Offer", "Picture", "draw", "offered"]
