"""Distances of sets of vectors."""
