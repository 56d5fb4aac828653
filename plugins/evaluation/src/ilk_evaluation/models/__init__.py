"""Fitted pipelines with the columns of their training data, and new rows read for them."""
