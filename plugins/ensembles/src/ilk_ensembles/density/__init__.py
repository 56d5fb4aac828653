"""Clusters as dense regions: neighbourhoods, core rows, and what they reach."""
