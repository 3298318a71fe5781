"""The experiments: a dataclass each, whose fields are the settings of its plan."""
