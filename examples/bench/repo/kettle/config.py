"""Settings of a worker.

A worker reads kettle.toml once, when it starts. SIGHUP makes it read log_level and workers again,
without a restart. Every other setting needs a restart.
"""

LIVE = {"log_level", "workers"}
