"""The search of one client: its thread, and the log of the results that were opened."""
