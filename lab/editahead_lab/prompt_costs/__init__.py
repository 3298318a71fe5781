"""What prompts cost during typing, and states rendered again under other formats."""
