"""Sub-commands, one module each, imported on demand.

Each has `add_arguments(parser)` and `run(args) -> int`, the exit code.
"""
