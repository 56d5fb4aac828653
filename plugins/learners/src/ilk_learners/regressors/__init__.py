"""Regressors, one class per file."""
