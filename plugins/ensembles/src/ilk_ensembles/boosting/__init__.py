"""What the boosters share: members taught by weights or draws, voting weights, stumps, medians."""
