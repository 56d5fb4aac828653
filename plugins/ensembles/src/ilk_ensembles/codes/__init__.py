"""Code matrices of output codes (ECOC), and their decoding."""
