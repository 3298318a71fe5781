from server_fixtures import connect, harness, pipeline

__all__ = ["connect", "harness", "pipeline"]
