"""A model API on loopback, in front of the real one or in its place."""
