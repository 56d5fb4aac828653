"""ilk's evaluation."""
