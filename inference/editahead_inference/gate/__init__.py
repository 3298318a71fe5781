"""The gate scores candidates, filters them, and decides which are worth showing."""
