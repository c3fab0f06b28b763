"""The nouns: frozen values that every room shares, with no input or output of their own."""
