"""The evaluation of search: questions that commits and documentation answer."""
