"""The names that a file defines, exports and imports, one module for each family of grammars."""
