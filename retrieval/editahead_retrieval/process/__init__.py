"""The process that keeps an index up to date: a child of low priority, and the handle of its parent."""
