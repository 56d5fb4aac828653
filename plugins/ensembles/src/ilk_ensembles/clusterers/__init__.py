"""Density-based clusterers."""
