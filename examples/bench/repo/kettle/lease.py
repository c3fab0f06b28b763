"""Who has a job in hand.

A worker that takes a job gets a lease of 30 seconds on it. Two workers never hold the same job,
because the lease is written by one UPDATE. A lease that is not renewed in time runs out, and
another worker may take the job.
"""

LEASE_S = 30
