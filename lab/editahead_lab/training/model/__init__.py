"""What trainings share: checkpoints, signals and memory; and the replay of a router's choices."""
