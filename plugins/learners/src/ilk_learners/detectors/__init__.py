"""Detectors, one class per file."""
