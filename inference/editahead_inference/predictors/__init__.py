"""Predictors propose candidate edits for a state."""
