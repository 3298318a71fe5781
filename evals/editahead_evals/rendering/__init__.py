"""What prompts cost while somebody types, and states rendered again under other formats."""
