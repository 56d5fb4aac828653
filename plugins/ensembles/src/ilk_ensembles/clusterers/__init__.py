"""Clusterers: one class a file."""
