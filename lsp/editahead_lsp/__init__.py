"""The language server: the `Server` object, settings, the user's files."""

__version__ = "0.1.0"
