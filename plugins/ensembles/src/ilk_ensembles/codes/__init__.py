"""Code matrices that say which classes each two-class problem sets apart, and their decoding."""
