"""Relevance measures, one class per file."""
