"""Detectors: one class a file."""
