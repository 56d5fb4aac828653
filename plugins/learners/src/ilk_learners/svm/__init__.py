"""Support vector machines: the dual problem, who solves it, and what comes of it."""
