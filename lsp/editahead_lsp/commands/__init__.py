"""One module for each command of the command line, imported when it is called. Each has `add_arguments(parser)` and
`run(args) -> int`, the exit code."""
