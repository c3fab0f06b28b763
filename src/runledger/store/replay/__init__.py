"""The recorded answer to a request: found, or why there is none."""
