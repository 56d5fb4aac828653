"""Random forests: growing, prediction, out-of-bag estimates, proximities; distance `forest`."""
