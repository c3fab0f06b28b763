"""Trials in, figures out: rates, the pairing of two sets of trials, and the gate."""
