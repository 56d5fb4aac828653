"""Classifiers: one class a file."""
