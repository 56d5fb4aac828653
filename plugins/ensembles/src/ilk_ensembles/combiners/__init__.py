"""Rules that combine the outputs of several members."""
