"""RunLedger: record what an agent does once; replay it for nothing, grade it, gate it, compare it."""

__version__ = "0.1.0"
