"""Transformers, one class per file."""
