"""The run of a plan: tasks, scheduler, workers' inputs, store and progress."""
