from command_line import editahead, work
from open_files import open_files_stay

__all__ = ["editahead", "open_files_stay", "work"]
