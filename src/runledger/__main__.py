"""Let `python -m runledger` do what the command does."""

from .cli import main

if __name__ == "__main__":
    raise SystemExit(main())
