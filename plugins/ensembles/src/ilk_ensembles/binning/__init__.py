"""Features cut into bins once, and what boosting counts in them."""
