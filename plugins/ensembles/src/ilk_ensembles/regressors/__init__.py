"""Ensemble regressors."""
