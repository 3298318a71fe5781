"""The fit of the gate to replayed commits and simulated answers."""
