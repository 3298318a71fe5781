"""JSON-RPC on top of pygls: this module replaces the parts of pygls that break the promises of docs/protocol.md.

- Params are converted after the message is parsed, so that malformed params are answered with InvalidParams. pygls
  converts them while it parses JSON, where it no longer knows which request to answer.
- A handler runs at once, in the order of arrival. A coroutine that a handler returns runs as a task.
  (pygls starts an `async` handler at the loop's next turn, when later changes may already have been applied.)
- pygls' own document store and its handling of initialize, exit and commands are not used: see `workspace.documents` and
  `features`.
- Every request is answered: before initialize, after shutdown, with params that cannot be converted.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import logging
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

import cattrs
from lsprotocol import types
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInternalError,
    JsonRpcInvalidParams,
    JsonRpcInvalidRequest,
    JsonRpcParseError,
    JsonRpcServerNotInitialized,
)
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol

from editahead_lsp.protocol.converter import PARAMS_BY_METHOD

if TYPE_CHECKING:
    from editahead_lsp.notebooks.translation import NotebookTranslation

log = logging.getLogger(__name__)

PYGLS_ATTRIBUTES: Mapping[str, type] = {
    "_server": LanguageServer,
    "_converter": cattrs.Converter,
    "_shutdown": bool,
    "_request_futures": dict,
    "_result_types": dict,
}
"""The private attributes of pygls' protocol that this module uses, each with its type."""

PYGLS_METHODS: Mapping[str, str] = {
    "_handle_request": "(self, msg_id, method_name, params)",
    "_handle_notification": "(self, method_name, params)",
    "_handle_response": "(self, msg_id, result=None, error=None)",
    "_send_data": "(self, data)",
    "_serialize_message": "(self, data)",
    "_send_response": "(self, msg_id, result=None, error=None)",
    "_send_handler_result": "(self, future, *, msg_id)",
    "_execute_handler": "(self, msg_id, handler, callback, args=None, kwargs=None)",
}
"""The private methods of pygls' protocol that this module calls or replaces, each with its parameters.

pygls may change them with any minor version: `pyproject.toml` pins the version, and tests compare it with this list.
"""

MAX_WAITING_REQUESTS = 1_000
"""Requests of a client that are not answered yet; a limit on memory and on work. Further ones are refused."""

_PYGLS_FEATURES = {types.SHUTDOWN, types.SET_TRACE}
"""The methods that pygls handles; all others have handlers in `features`."""


class JsonRpcProtocol(LanguageServerProtocol):
    """The connection of one client."""

    _server: LanguageServer

    def __init__(self, server: LanguageServer, converter: cattrs.Converter) -> None:
        super().__init__(server, converter)
        for method in self.fm.builtin_features.keys() - _PYGLS_FEATURES:
            del self.fm.builtin_features[method]
        self.initialized = False
        self.notebooks: NotebookTranslation | None = None
        """Translates messages about the cells of notebooks."""

    @property
    def shutdown_requested(self) -> bool:
        """Whether the client has sent `shutdown`."""
        return self._shutdown

    def structure(self, value: Any, cls: type) -> Any:
        """Convert params, or an argument of a command, to an object of `cls`.

        Raises:
            JsonRpcInvalidParams: The value does not have the form of `cls`.
        """
        try:
            return self._converter.structure(value, cls)
        except Exception as error:  # invalid JSON can make a converter raise any exception
            log.debug("cannot read %s: %s", cls.__name__, error)
            raise JsonRpcInvalidParams(
                f"{JsonRpcInvalidParams.MESSAGE}: not {cls.__name__}"
            ) from None  # the cause quotes the value

    def unstructure(self, value: Any) -> Any:
        """Convert an object to its JSON value."""
        return self._converter.unstructure(value)

    def get_message_type(self, method: str) -> None:  # type: ignore[override]  # pygls caches the type
        """Return no type: messages are sent as plain objects, whose params decide how they are converted."""

    def structure_message(self, data: dict[str, Any]) -> Any:
        """Return the message as parsed; `handle_message` converts the params."""
        return data

    def handle_message(self, message: Any) -> None:
        """Handle one parsed message. Invalid messages are answered with an error."""
        if not isinstance(message, Mapping):
            self._send_error(None, JsonRpcInvalidRequest("a message is an object"))
            return
        msg_id, method, params = message.get("id"), message.get("method"), message.get("params")
        if isinstance(msg_id, bool) or not isinstance(msg_id, int | str | None):
            self._send_error(None, JsonRpcInvalidRequest("an id is a number or a string"))
        elif method is None and msg_id is not None:
            self._receive_response(msg_id, message)
        elif not isinstance(method, str):
            self._send_error(msg_id, JsonRpcInvalidRequest("a method is a string"))
        else:
            if self.notebooks is not None:
                params = self.notebooks.to_server(msg_id, method, params)
            if msg_id is None:
                self._receive_notification(method, params)
            else:
                self._receive_request(msg_id, method, params)

    def _receive_response(self, msg_id: int | str, message: Mapping[str, Any]) -> None:
        if msg_id not in self._result_types:
            log.info("response without a request, ignored")
            return
        del self._result_types[msg_id]
        error = message.get("error")
        if isinstance(error, Mapping):
            code = error.get("code")
            self._handle_response(
                msg_id,
                error=types.ResponseError(
                    code if isinstance(code, int) else -32001, str(error.get("message", ""))
                ),
            )
        else:
            self._handle_response(msg_id, message.get("result"))

    def _receive_notification(self, method: str, params: Any) -> None:
        if method == types.CANCEL_REQUEST:
            self._cancel(params.get("id") if isinstance(params, Mapping) else None)
        elif method != types.EXIT and (self._shutdown or not self.initialized):
            log.info("%s before initialize or after shutdown, ignored", method)
        elif method not in self.fm.features and method not in self.fm.builtin_features:
            log.debug("%s: unknown method, ignored", method)
        else:
            try:
                converted = self._convert_params(method, params)
            except JsonRpcInvalidParams:
                log.warning("%s: invalid params, ignored", method)
                return
            self._handle_notification(method, converted)

    def _receive_request(self, msg_id: int | str, method: str, params: Any) -> None:
        if self._shutdown:
            self._send_error(msg_id, JsonRpcInvalidRequest("the server was shut down"))
        elif not self.initialized and method != types.INITIALIZE:
            self._send_error(msg_id, JsonRpcServerNotInitialized())
        elif len(self._request_futures) >= MAX_WAITING_REQUESTS:
            self._send_error(
                msg_id, JsonRpcInvalidRequest(f"{MAX_WAITING_REQUESTS} requests wait for answers")
            )
        else:
            try:
                converted = self._convert_params(method, params)
            except JsonRpcInvalidParams as error:
                self._send_error(msg_id, error)
                return
            self._handle_request(msg_id, method, converted)

    def _convert_params(self, method: str, params: Any) -> Any:
        cls = PARAMS_BY_METHOD.get(method)
        return params if cls is None else self.structure(params, cls)

    def _cancel(self, msg_id: Any) -> None:
        """Cancel a request of the client that is not answered yet."""
        if isinstance(msg_id, int | str) and msg_id not in self._result_types:
            task = self._request_futures.get(msg_id)
            if task is not None:
                task.cancel()

    def cancel_all_requests(self) -> None:
        """Cancel all requests of the client that are not answered yet. Called when the connection has ended."""
        for task in list(self._request_futures.values()):
            task.cancel()

    def send_parse_error(self) -> None:
        """Answer a message that is not JSON. The answer has no id, as the request is unknown."""
        self._send_error(None, JsonRpcParseError())

    def send_message_error(self, reason: str) -> None:
        """Answer a message that was not read, and whose id is unknown."""
        self._send_error(None, JsonRpcInvalidRequest(reason))

    def _send_error(self, msg_id: int | str | None, error: JsonRpcException) -> None:
        answer = {"code": error.code, "message": error.message}
        self._send_data({"jsonrpc": self.VERSION, "id": msg_id, "error": answer})

    def _send_data(self, data: Any) -> None:
        """Send a message, as several ones where it is about several cells of a notebook."""
        if self.notebooks is None or self.notebooks.is_idle:
            super()._send_data(data)
            return
        plain = json.loads(json.dumps(data, default=self._serialize_message))
        for message in self.notebooks.to_client(plain):
            super()._send_data(message)

    def _send_handler_result(self, future: Future[Any], *, msg_id: int | str) -> None:
        """Send the result of a handler, or its error.

        A handler raises JsonRpcException to answer with an error. pygls would log that as a failure, with the stack and the
        message, which may quote code.
        """
        error = None if future.cancelled() else future.exception()
        if isinstance(error, JsonRpcException) and not isinstance(error, JsonRpcInternalError):
            self._request_futures.pop(msg_id, None)
            self._send_response(msg_id, error=error.to_response_error())
            self._server.report_server_error(error, type(error))
        else:
            super()._send_handler_result(future, msg_id=msg_id)

    def _execute_handler(
        self,
        msg_id: int | str,
        handler: Callable[..., Any],
        callback: Callable[[Future[Any]], None],
        args: tuple[Any, ...] | None = None,
        kwargs: dict[str, Any] | None = None,
    ) -> None:
        """Run a handler now. Run the coroutine that it returns, if any, as a task that the client can cancel."""
        if inspect.isgeneratorfunction(handler):  # a handler of pygls
            super()._execute_handler(msg_id, handler, callback, args, kwargs)
            return
        done: Future[Any] = Future()
        try:
            result = handler(*args or (), **kwargs or {})
        except Exception as error:
            done.set_exception(error)
        else:
            if inspect.iscoroutine(result):
                task: Any = asyncio.ensure_future(result)
                self._request_futures[msg_id] = task
                task.add_done_callback(lambda _: self._request_futures.pop(msg_id, None))
                task.add_done_callback(callback)
                return
            done.set_result(result)
        callback(done)
