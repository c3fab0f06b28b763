"""Trials in, figures out: rates, the gate, and later the pairing of two sets of trials."""
