"""What the report of an experiment shows: words and tables, plots, and a line for each task."""
