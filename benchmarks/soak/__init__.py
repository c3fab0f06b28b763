"""The soak: much of everything, then faults drawn at random, until the time is over."""
