"""Metric learners, one class per file."""
