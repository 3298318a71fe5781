"""From a request to suggestions: supersede, debounce, schedule, combine."""
