"""Distances of texts and bytes."""
