"""Metric learners: one class a file."""
