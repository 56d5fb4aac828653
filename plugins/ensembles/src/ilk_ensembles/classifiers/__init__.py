"""Ensemble classifiers."""
