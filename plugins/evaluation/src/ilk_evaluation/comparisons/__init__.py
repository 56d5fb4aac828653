"""Whether differences between pipelines are real."""
