"""The laboratory: experiments on real edits, and the trainings of what the product ships."""
