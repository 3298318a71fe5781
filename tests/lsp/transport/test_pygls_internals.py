"""The private members of pygls that the protocol uses: each listed one exists."""

from __future__ import annotations

import ast
import inspect
from importlib.metadata import version

import pytest
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol

from editahead_lsp.transport import json_rpc

PYGLS = f"pygls {version('pygls')}"


@pytest.mark.parametrize("name", json_rpc.PYGLS_METHODS)
def test_a_private_method_has_not_changed(name: str) -> None:
    method = getattr(LanguageServerProtocol, name, None)
    assert callable(method), (
        f"{PYGLS} has no LanguageServerProtocol.{name} any more, which rpc.Protocol uses."
    )
    found = inspect.signature(method)
    bare = [parameter.replace(annotation=inspect.Parameter.empty) for parameter in found.parameters.values()]
    parameters = str(found.replace(parameters=bare, return_annotation=inspect.Signature.empty))
    assert parameters == json_rpc.PYGLS_METHODS[name], (
        f"{PYGLS} changed LanguageServerProtocol.{name}, which rpc.Protocol uses, to {parameters}."
    )


@pytest.mark.parametrize("name", json_rpc.PYGLS_ATTRIBUTES)
def test_a_private_attribute_has_not_changed(name: str) -> None:
    protocol = LanguageServer("test", "1").protocol
    assert hasattr(protocol, name), (
        f"{PYGLS} has no LanguageServerProtocol.{name} any more, which rpc.Protocol uses."
    )
    found, expected = getattr(protocol, name), json_rpc.PYGLS_ATTRIBUTES[name]
    assert isinstance(found, expected), (
        f"{PYGLS} made LanguageServerProtocol.{name}, which rpc.Protocol uses, a {type(found).__name__}."
    )


def test_the_lists_name_each_private_member_that_is_used() -> None:
    of_pygls = {name for name in dir(LanguageServer("test", "1").protocol) if not name.startswith("__")}
    named = set()
    for node in ast.walk(ast.parse(inspect.getsource(json_rpc))):
        if isinstance(node, ast.Attribute):
            named.add(node.attr)
        elif isinstance(node, ast.FunctionDef):
            named.add(node.name)
    used = {name for name in named & of_pygls if name.startswith("_")}
    assert used == json_rpc.PYGLS_METHODS.keys() | json_rpc.PYGLS_ATTRIBUTES.keys()
