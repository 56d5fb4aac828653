"""The plan of an experiment: its file, design, splits, cells and their keys."""
