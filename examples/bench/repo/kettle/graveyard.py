"""Jobs that nobody will try again.

A job that keeps failing is buried after 4 attempts. The graveyard keeps it for 7 days, with its
last error. The command kettle revive puts a buried job back into the queue.
"""

MAX_ATTEMPTS = 4
KEEP_DAYS = 7
