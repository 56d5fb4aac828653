"""Distances of tables with numeric and nominal columns."""
