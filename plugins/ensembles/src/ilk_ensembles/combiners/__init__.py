"""Rules that turn the outputs of several members into one."""
