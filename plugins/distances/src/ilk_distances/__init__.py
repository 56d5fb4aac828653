"""ilk's distances."""
