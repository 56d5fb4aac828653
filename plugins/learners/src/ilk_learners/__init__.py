"""ilk's learners."""
