"""What a prediction is worth."""
