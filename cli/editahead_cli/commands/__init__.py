"""Sub-commands, one module each, imported on demand.

Each module has `add_arguments(parser)` and `run(args) -> int`, the exit code.
"""
