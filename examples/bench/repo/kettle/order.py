"""Which job is next.

Workers take jobs of the highest priority first. Among equals the oldest job is taken. A job that
waits for an hour gains one step of priority, so that none waits forever.
"""

AGING_S = 3600
