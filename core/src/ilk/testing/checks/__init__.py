"""The checks: a file for each kind, and for what all kinds, or all inputs of a kind, share."""
