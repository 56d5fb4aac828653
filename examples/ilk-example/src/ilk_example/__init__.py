"""A distance on the globe and a classifier by medoids, for ilk."""
