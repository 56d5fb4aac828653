"""Relevance measures: one class a file."""
