"""The index of the workspace inside the server: which processes run, what they report, and what predictors ask."""
