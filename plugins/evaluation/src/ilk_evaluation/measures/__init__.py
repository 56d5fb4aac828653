"""Measures of predictions: accuracy, rates, areas under curves, scoring rules, losses."""
