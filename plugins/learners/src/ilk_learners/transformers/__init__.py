"""Transformers: one class a file."""
