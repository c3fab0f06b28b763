"""The files a user writes: read, check, and turn into the nouns of the ledger."""
