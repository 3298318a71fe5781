from command_line import editahead, work

__all__ = ["editahead", "work"]
