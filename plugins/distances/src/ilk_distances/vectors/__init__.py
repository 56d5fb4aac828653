"""Distances of vectors."""
