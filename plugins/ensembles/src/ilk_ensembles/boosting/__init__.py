"""Parts of boosting: weak learners, rounds, additive models, stumps and histograms."""
