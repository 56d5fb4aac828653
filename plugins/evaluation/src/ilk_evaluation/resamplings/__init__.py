"""Which cases train and which test."""
