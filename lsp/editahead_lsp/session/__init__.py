"""The mutable state of one client. Only synchronous handlers on the event loop touch it."""
