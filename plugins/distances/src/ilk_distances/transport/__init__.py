"""The earth mover's distance."""
