"""The index of the workspace: which processes run, what they report, and what predictors and searches ask."""
