"""JSON-RPC on top of pygls: what pygls does differently from what we promise is replaced here.

- Params are read once the whole message is there, so that malformed ones are answered with InvalidParams. pygls reads
  them while parsing JSON, where it no longer knows which request to answer.
- A handler runs at once, in the order of arrival. When it returns a coroutine, that is the rest of its work, as a task.
  (pygls starts an `async` handler at the loop's next turn, when later changes may already have been applied.)
- pygls' own document store and its handling of initialize, exit and commands are left out: see `documents`, `features`.
- Requests are answered in every case: before initialize, after shutdown, with params that cannot be read.
"""

from __future__ import annotations

import asyncio
import inspect
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
    from editahead_lsp.server import Server

log = logging.getLogger(__name__)

PYGLS_ATTRIBUTES: Mapping[str, type] = {
    "_server": LanguageServer,
    "_converter": cattrs.Converter,
    "_shutdown": bool,
    "_request_futures": dict,
    "_result_types": dict,
}
"""The private attributes of pygls' protocol that are used here, each with its type."""

PYGLS_METHODS: Mapping[str, str] = {
    "_handle_request": "(self, msg_id, method_name, params)",
    "_handle_notification": "(self, method_name, params)",
    "_handle_response": "(self, msg_id, result=None, error=None)",
    "_send_data": "(self, data)",
    "_send_response": "(self, msg_id, result=None, error=None)",
    "_send_handler_result": "(self, future, *, msg_id)",
    "_execute_handler": "(self, msg_id, handler, callback, args=None, kwargs=None)",
}
"""The private methods of pygls' protocol that are called or replaced here, each with its parameters. pygls may change them
with any minor version: `pyproject.toml` names the one that they are of, and the tests compare them with this list."""

_KEPT = {types.SHUTDOWN, types.SET_TRACE}
"""The features of pygls that are used as they are."""


class JsonRpcProtocol(LanguageServerProtocol):
    """One client's connection."""

    _server: Server

    def __init__(self, server: Server, converter: cattrs.Converter) -> None:
        super().__init__(server, converter)
        for method in self.fm.builtin_features.keys() - _KEPT:
            del self.fm.builtin_features[method]
        self.initialized = False

    @property
    def shutdown_requested(self) -> bool:
        return self._shutdown

    def structure(self, value: Any, cls: type) -> Any:
        """Params (or an argument) as an object of `cls`. Raises InvalidParams."""
        try:
            return self._converter.structure(value, cls)
        except Exception as error:  # whatever a stranger's JSON can make a converter raise
            log.debug("cannot read %s: %s", cls.__name__, error)
            raise JsonRpcInvalidParams(
                f"{JsonRpcInvalidParams.MESSAGE}: not {cls.__name__}"
            ) from None  # it quotes the value

    def unstructure(self, value: Any) -> Any:
        """The value as it goes over the wire."""
        return self._converter.unstructure(value)

    def get_message_type(self, method: str) -> None:  # type: ignore[override]  # pygls caches it; there is no need
        """Messages are sent as plain objects with the params given, whose own classes decide how they look."""

    def structure_message(self, data: dict[str, Any]) -> Any:
        return data

    def handle_message(self, message: Any) -> None:
        """Take one parsed message. Never raises."""
        if not isinstance(message, Mapping):
            self._refuse(None, JsonRpcInvalidRequest("a message is an object"))
            return
        msg_id, method, params = message.get("id"), message.get("method"), message.get("params")
        if isinstance(msg_id, bool) or not isinstance(msg_id, int | str | None):
            self._refuse(None, JsonRpcInvalidRequest("an id is a number or a string"))
        elif method is None and msg_id is not None:
            self._take_response(msg_id, message)
        elif not isinstance(method, str):
            self._refuse(msg_id, JsonRpcInvalidRequest("a method is a string"))
        elif msg_id is None:
            self._take_notification(method, params)
        else:
            self._take_request(msg_id, method, params)

    def _take_response(self, msg_id: int | str, message: Mapping[str, Any]) -> None:
        if msg_id not in self._result_types:
            log.info("a response to a request that was never sent")
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

    def _take_notification(self, method: str, params: Any) -> None:
        if method == types.CANCEL_REQUEST:
            self._cancel(params.get("id") if isinstance(params, Mapping) else None)
        elif method != types.EXIT and (self._shutdown or not self.initialized):
            log.info("%s outside of the session, ignored", method)
        elif method not in self.fm.features and method not in self.fm.builtin_features:
            log.debug("%s: not known, ignored", method)
        else:
            try:
                read = self._params(method, params)
            except JsonRpcInvalidParams:
                log.warning("%s: params that cannot be read, ignored", method)
                return
            self._handle_notification(method, read)

    def _take_request(self, msg_id: int | str, method: str, params: Any) -> None:
        if self._shutdown:
            self._refuse(msg_id, JsonRpcInvalidRequest("the server was shut down"))
        elif not self.initialized and method != types.INITIALIZE:
            self._refuse(msg_id, JsonRpcServerNotInitialized())
        else:
            try:
                read = self._params(method, params)
            except JsonRpcInvalidParams as error:
                self._refuse(msg_id, error)
                return
            self._handle_request(msg_id, method, read)

    def _params(self, method: str, params: Any) -> Any:
        cls = PARAMS_BY_METHOD.get(method)
        return params if cls is None else self.structure(params, cls)

    def _cancel(self, msg_id: Any) -> None:
        """A request that is answered already, or that was the server's own, cannot be cancelled by the client."""
        if isinstance(msg_id, int | str) and msg_id not in self._result_types:
            task = self._request_futures.get(msg_id)
            if task is not None:
                task.cancel()

    def cancel_all_requests(self) -> None:
        """Nobody waits for the answers any more: stop the requests that are under way."""
        for task in list(self._request_futures.values()):
            task.cancel()

    def send_parse_error(self) -> None:
        """What came is not JSON; it cannot be told which request it was."""
        self._refuse(None, JsonRpcParseError())

    def _refuse(self, msg_id: int | str | None, error: JsonRpcException) -> None:
        answer = {"code": error.code, "message": error.message}
        self._send_data({"jsonrpc": self.VERSION, "id": msg_id, "error": answer})

    def _send_handler_result(self, future: Future[Any], *, msg_id: int | str) -> None:
        """An error that a handler means to give is no failure: pygls would log it with its stack and its words."""
        error = None if future.cancelled() else future.exception()
        if isinstance(error, JsonRpcException) and not isinstance(error, JsonRpcInternalError):
            self._request_futures.pop(msg_id, None)
            self._send_response(msg_id, error=error.to_response_error())
            self._server.report_server_error(error, self)
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
        if inspect.isgeneratorfunction(handler):  # one of pygls' own
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
