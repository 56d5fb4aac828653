"""Clusterers, one class per file."""
