"""Reports for people: terminal tables, an HTML page, plots."""
