"""Where the cells of an experiment run."""
