"""Commands that this distribution adds to `ilk`."""
