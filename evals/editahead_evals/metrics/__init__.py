"""What a shown edit is worth, and the figures made of that."""
