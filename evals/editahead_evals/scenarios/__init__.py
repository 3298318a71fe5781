"""Scenario files: read, played and scored."""
