"""One module for each LSP method or group of methods, with a table `HANDLERS` from the method's name to its handler.

A handler is a function of the server and the message's params, named after the method: `did_change`, `inline_completion`,
`execute_command`. Work that depends on the order of the messages belongs in the handler itself, which runs before the next
message is read. Work that takes time belongs in the coroutine that the handler returns.

To add a surface, a new way to show predictions:

1. Name it in `Surface` in `prediction/request.py`, and convert a `SuggestionList` to its result in `presentation/`.
2. Describe its params and its result in `protocol/custom_messages.py`, and name the class of the params in
   `PARAMS_BY_METHOD` in `protocol/converter.py`.
3. Write a module here with the handler and `HANDLERS`, as `inline_completion.py`, and add the module to `FEATURES` below.
4. Add an example to `tools/docs/schema_examples.py`, and announce the method in `lifecycle.server_capabilities`.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from editahead_lsp.server import Server

from . import (
    code_actions,
    completion,
    configuration,
    copilot_inline_edit,
    copilot_status,
    did_copy,
    document_sync,
    evidence,
    execute_command,
    inlay_hints,
    inline_completion,
    lifecycle,
    next_edit,
    notebook_sync,
    opened_results,
    outcomes,
    session_time,
)

FEATURES = (
    lifecycle,
    document_sync,
    notebook_sync,
    configuration,
    inline_completion,
    copilot_inline_edit,
    copilot_status,
    next_edit,
    code_actions,
    completion,
    inlay_hints,
    outcomes,
    execute_command,
    opened_results,
    session_time,
    evidence,
    did_copy,
)


def create_server(*arguments: Any, **options: Any) -> Server:
    """Return a server with the handlers of all features. pygls raises an error for a second handler of the same method.

    Args:
        *arguments: The arguments of `Server`.
        **options: The same.
    """
    server = Server(*arguments, **options)
    for feature in FEATURES:
        for method, handler in feature.HANDLERS.items():
            server.feature(method)(partial(handler, server))
    return server
