"""The demo: a shipped sample project, a player for editing sessions, and their view in a terminal."""
