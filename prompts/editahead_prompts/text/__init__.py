"""Text as values: snapshots, the edit algebra, diff, identifiers, syntax trees."""
