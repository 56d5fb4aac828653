"""The checks: a module for each kind, and modules for checks that kinds or inputs share."""
