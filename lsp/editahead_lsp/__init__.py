"""The language server: documents, sessions, the four faces, settings, the command line."""

__version__ = "0.1.0"
