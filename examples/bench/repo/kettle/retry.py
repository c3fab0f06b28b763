"""Trying again.

A failed job waits 5 seconds before it is tried again. The wait doubles with each attempt. It never
exceeds 300 seconds. A random tenth is added, so that jobs do not come back all at once.
"""

FIRST_S = 5
LONGEST_S = 300
