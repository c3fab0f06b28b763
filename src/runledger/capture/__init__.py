"""Task in, trajectory out: what is tried in which order, and one trial from start to end."""
