"""Base classes of ensembles, and helpers that several ensembles share."""
