"""Symbols of all grammars."""

from __future__ import annotations

import pytest

from editahead_prompts.syntax.languages import find_symbols
from editahead_prompts.syntax.symbols import MAX_SYMBOLS, Role, Symbol
from editahead_prompts.syntax.syntax_trees import find_parser

PYTHON = """
import os.path as p, sys
from .models import User as Account, Order
from pkg import *

LIMIT = 3
_hidden, shown = 1, 2

class Store(Base):
    size: int = 0
    def add(self, item):
        def inner(): pass

if LIMIT:
    @cached
    async def load(): pass
"""
TYPESCRIPT = """
import Default, { a as b, type C } from "./m";
import * as all from 'all';
import "./effect";
export const one = 1, two = 2;
export default class Main { run(): void {} size = 1 }
export { one as first, three };
export { x as y } from "./other";
export * from "./rest";
interface Shape { area(): number; name: string }
enum Color { Red, Green = 2 }
namespace N { export function f() {} }
"""
COMMONJS = """
const fs = require("fs");
const { join, resolve: res } = require('path');
function helper() {}
module.exports = { helper, other: 1 };
exports.third = 3;
"""
GO = """
package a

import (
	"fmt"
	alias "example.org/x/y"
	. "dots"
)

const Limit, small = 1, 2
var Shared int

type Store struct { Name string; size int }
type Shape interface { Area() float64 }

func (s *Store) Add(x int) {}
func New() *Store { return nil }
"""
RUST = """
use std::collections::{HashMap, hash_map::Entry as E};
pub use crate::models::User;
use super::*;

pub struct Store { pub name: String }
enum Color { Red }
impl Store { pub fn add(&self) {} }
pub mod inner { pub fn deep() {} fn hidden() {} }
macro_rules! check { () => {} }
pub(crate) const LIMIT: u8 = 1;
"""
JAVA = """
package a;
import java.util.List;
import static a.b.C.max;
import a.c.*;
public class Store { private int size, count; public void add(int x) {} enum Kind { A } }
interface Shape { double area(); }
"""
C = """
#include "store.h"
#include <stdio.h>
#define LIMIT 3
#ifdef X
static int hidden(void) { return 0; }
#endif
typedef struct node { int value; struct node *next; } Node;
enum color { RED, GREEN };
int add(struct node *n, int x);
int total = 0, *pointer;
"""
CPP = """
namespace shop { class Store : public Base { public: void add(int x); int size_; };
template <typename T> T largest(T a, T b) { return a; } }
void shop::Store::add(int x) {}
using Name = int;
extern "C" { void bare(); }
"""


def symbols(text: str, language: str, name: str = "a") -> list[Symbol]:
    parser = find_parser(language)
    assert parser is not None
    return list(find_symbols(parser.parse(text.encode()).root_node, language, name))


CSHARP = """
using System.Linq;
using Io = System.IO;

namespace Shop
{
    public interface IStore { int Count { get; } void Add(int item); }
    class Store : IStore
    {
        private int a, b;
        public Store(int size) { int local = size; }
        public int Size { get; set; }
        enum Kind { One }
    }
    file class Hidden { }
}
public record Point(int X, int Y);
"""
PHP = """<?php
namespace Shop;

use App\\{Logger, Clock as C};

class Store
{
    public const LIMIT = 10;
    private array $items = [];
    public function __construct(private Logger $logger) { $local = 1; }
    public function add(int $item): void { }
}
enum Kind { case One; }
function largest(array $of) { return max($of); }
"""
SWIFT = """\
import Foundation
import struct Net.Core.URL

public protocol Shape {
    var size: Int { get }
    func area() -> Double
}
enum Kind: String {
    case one = "1", two
    case many(count: Int)
}
final class Store: Shape {
    private var a = 1, b = 2
    init(a: Int) { self.a = a }
    func add(_ row: Row) { let local = row }
    enum Key { case name }
}
extension Store {
    var isEmpty: Bool { a == 0 }
}
func largest(in rows: [Row]) -> Row? { rows.first }
private let hidden = 1
"""
RUBY = """
require "json"

LIMIT = 10

module Shop
  class Store
    def self.build(size)
      local = size
    end

    def add(item) = @items << item
  end
end
"""


def names(found: list[Symbol], role: Role) -> list[str]:
    """Return the names with a role: `container.name`, `name <- source:original` where they have these."""
    out = []
    for symbol in found:
        if symbol.roles & role:
            text = f"{symbol.container}.{symbol.name}" if symbol.container else symbol.name
            if symbol.source or symbol.original != symbol.name:
                text += f" <- {symbol.source}:{symbol.original}"
            out.append(text)
    return out


@pytest.mark.parametrize(
    ("language", "text", "definitions", "exports", "imports"),
    [
        (
            "python",
            PYTHON,
            "LIMIT _hidden shown Store Store.size Store.add load",
            "LIMIT shown Store load",
            "p <- os.path:|sys <- sys:|Account <- .models:User|Order <- .models:Order|* <- pkg:*",
        ),
        (
            "typescript",
            TYPESCRIPT,
            "one two Main.run Main.size Shape Shape.area Shape.name Color Color.Red Color.Green N N.f",
            "one|two|Main <- :default|first|three|y <- ./other:x|* <- ./rest:*",
            "Default <- ./m:default|b <- ./m:a|C <- ./m:C|all <- all:|y <- ./other:x|* <- ./rest:*",
        ),
        (
            "javascript",
            COMMONJS,
            "helper",
            "helper other third",
            "fs <- fs:|join <- path:join|res <- path:resolve",
        ),
        (
            "go",
            GO,
            "Limit small Shared Store Store.Name Store.size Shape Shape.Area Store.Add New",
            "Limit Shared Store Shape New",
            "fmt <- fmt:|alias <- example.org/x/y:|* <- dots:*",
        ),
        (
            "rust",
            RUST,
            "Store Store.name Color Color.Red Store.add inner inner.deep inner.hidden check LIMIT",
            "User <- crate::models:User|Store|inner|inner.deep|check|LIMIT",
            "HashMap <- std::collections:HashMap|E <- std::collections::hash_map:Entry"
            "|User <- crate::models:User|* <- super:*",
        ),
        (
            "java",
            JAVA,
            "Store Store.size Store.count Store.add Store.Kind Store.Kind.A Shape Shape.area",
            "Store",
            "List <- java.util:List|max <- a.b.C:max|* <- a.c:*",
        ),
        (
            "c",
            C,
            "LIMIT hidden node node.value node.next Node color color.RED color.GREEN add total pointer",
            "LIMIT node Node color color.RED color.GREEN add total pointer",
            "* <- store.h:*|* <- stdio.h:*",
        ),
        (
            "cpp",
            CPP,
            "shop.Store shop.Store.add shop.Store.size_ shop.largest shop.Store.add Name bare",
            "shop.Store shop.largest shop.Store.add Name bare",
            "",
        ),
        (
            "csharp",
            CSHARP,
            "IStore IStore.Count IStore.Add Store Store.a Store.b Store.Size Store.Kind Store.Kind.One Hidden Point",
            "IStore|Store|Point",
            "* <- System.Linq:*|Io <- System.IO:",
        ),
        (
            "php",
            PHP,
            "Store Store.LIMIT Store.items Store.__construct Store.add Kind Kind.One largest",
            "Store|Kind|largest",
            "Logger <- App:Logger|C <- App:Clock",
        ),
        ("ruby", RUBY, "LIMIT Shop Shop.Store Shop.Store.build Shop.Store.add", "LIMIT|Shop", "* <- json:*"),
        (
            "swift",
            SWIFT,
            "Shape Shape.size Shape.area Kind Kind.one Kind.two Kind.many Store Store.a Store.b Store.init Store.add "
            "Store.Key Store.Key.name Store.isEmpty largest hidden",
            "Shape|Kind|Store|largest",
            "* <- Foundation:*|URL <- Net.Core:URL",
        ),
    ],
)
def test_symbols(language: str, text: str, definitions: str, exports: str, imports: str) -> None:
    found = symbols(text, language)
    plain = [name for name in names(found, Role.DEFINITION) if "<-" not in name]
    assert plain == definitions.split()
    assert names(found, Role.EXPORT) == exports.split("|" if "|" in exports else None)
    assert names(found, Role.IMPORT) == [name for name in imports.split("|") if name]


def test_a_package_exports_what_it_imports() -> None:
    text = "from .store import Store\nimport os\n"
    assert names(symbols(text, "python", "__init__.py"), Role.EXPORT) == ["Store <- .store:Store"]
    assert names(symbols(text, "python", "a.py"), Role.EXPORT) == []


def test_lines_are_those_of_the_names() -> None:
    assert [s.line for s in symbols("\n\n@x\ndef f(): pass\n", "python")] == [3]


@pytest.mark.slow
@pytest.mark.parametrize(
    "language", ["python", "typescript", "go", "rust", "java", "c", "cpp", "csharp", "php", "ruby", "swift"]
)
def test_broken_and_deep_texts_have_few_symbols(language: str) -> None:
    symbols("class A { " * 3000, language)
    symbols("mod a { impl B { " * 2000, language)
    many = "".join(f"int a{n};\nvar b{n} int\nx{n} = 1\n" for n in range(MAX_SYMBOLS))
    assert len(symbols(many, language)) <= MAX_SYMBOLS
