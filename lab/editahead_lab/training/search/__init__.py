"""The fit of the order of search results to commits."""
