"""Figures of an experiment, by name: drawn on matplotlib's axes, for files and the report."""

from ilk_evaluation.figures.catalogue import available, draw
from ilk_evaluation.figures.figure_spec import Figure, FigureSpec

__all__ = ["Figure", "FigureSpec", "available", "draw"]
