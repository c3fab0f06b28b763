"""The version of RunLedger, which every record names."""

VERSION = "0.1.0"
