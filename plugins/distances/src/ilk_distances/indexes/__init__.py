"""Indexes: nearest neighbours of a query."""
