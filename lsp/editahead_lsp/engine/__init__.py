"""The engine: a vLLM that Editahead starts and looks after. vLLM itself is never imported here."""
