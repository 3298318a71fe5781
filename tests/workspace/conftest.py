from server_fixtures import client, connect, harness, pipeline

__all__ = ["client", "connect", "harness", "pipeline"]
