"""Editors: one class a file."""
