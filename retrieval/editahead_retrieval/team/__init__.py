"""A team's index on PostgreSQL: vectors that one member computed, for all who prove that they have the same content."""
