"""Statistical tests of whether pipelines differ."""
