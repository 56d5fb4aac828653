"""Distances of histograms."""
