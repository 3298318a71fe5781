"""The fit of the completion at the cursor to commits that are typed key by key."""
