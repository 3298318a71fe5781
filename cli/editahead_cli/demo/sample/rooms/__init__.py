"""A small guest house: rooms, guests and their stays. The project that `editahead demo` works on."""
