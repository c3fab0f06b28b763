"""An experiment's record in, its findings out."""

from .findings import findings_of

__all__ = ["findings_of"]
