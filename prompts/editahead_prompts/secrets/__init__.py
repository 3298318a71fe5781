"""Secrets in texts: found by their form, and masked in what goes to models, logs and files."""
