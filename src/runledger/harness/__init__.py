"""Puts the rooms together, one file for each use; it only orders steps."""
