"""Regressors: one class a file."""
