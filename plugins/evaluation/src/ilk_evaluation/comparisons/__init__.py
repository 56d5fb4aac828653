"""Statistical tests of differences between pipelines."""
