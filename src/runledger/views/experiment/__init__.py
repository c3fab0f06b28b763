"""Views of an experiment: texts derived from its record and its findings."""
