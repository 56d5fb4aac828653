"""Random forests: trees grown, asked, compared and judged; the distance `forest`."""
