"""Grid search: the candidates of a grid, and their scores on inner splits."""
