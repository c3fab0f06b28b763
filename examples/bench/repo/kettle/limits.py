"""What a job may weigh.

A job may be as large as 64 KiB. A larger one is refused with JobTooLarge before it is stored.
Put large files elsewhere, and name them in the job.
"""

MAX_BYTES = 64 * 1024


class JobTooLarge(ValueError):
    pass
