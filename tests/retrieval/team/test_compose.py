"""The files for administrators: what the containers get, and the database's settings, as a real server takes them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from real_postgres import PostgresServer

DOCS = Path(__file__).parents[3] / "docs"
FOLDER = DOCS / "team-index"
IMAGE_VARIABLES = {"POSTGRES_USER", "POSTGRES_DB", "POSTGRES_PASSWORD"}
"""What the image of PostgreSQL reads when it creates the database."""


@pytest.fixture
def database() -> dict[str, Any]:
    compose = yaml.safe_load((FOLDER / "compose.yaml").read_text("utf-8"))
    assert compose.keys() == {"name", "services", "volumes"} and compose["services"].keys() == {"database"}
    service: dict[str, Any] = compose["services"]["database"]
    return service


def settings_of(database: dict[str, Any]) -> dict[str, str]:
    program, *options = database["command"]
    assert program == "postgres" and set(options[::2]) == {"-c"}
    return dict(option.split("=", 1) for option in options[1::2])


def test_a_server_takes_the_settings(postgres: PostgresServer, database: dict[str, Any]) -> None:
    settings = settings_of(database)
    assert settings.pop("ssl") == "on" and settings["log_parameter_max_length"] == "0"
    assert settings.pop("ssl_cert_file") and settings.pop("ssl_key_file"), (
        "the server of the tests has no TLS"
    )
    for name, value in settings.items():
        assert postgres.setting(name, value) in (value, "131072"), name


def test_files_of_the_settings_are_mounted(database: dict[str, Any]) -> None:
    mounts = {target: source for source, target, *_ in (each.split(":") for each in database["volumes"])}
    settings = settings_of(database)
    assert mounts[settings["hba_file"]] == "./pg_hba.conf" and (FOLDER / "pg_hba.conf").is_file()
    for name in ("ssl_cert_file", "ssl_key_file"):
        folder, _, file = settings[name].rpartition("/")
        assert f"tls/{file}" in page() and mounts[folder] == "./tls"
    assert mounts["/var/lib/postgresql/data"] == "data"


def test_the_page_names_every_variable_and_the_same_database(database: dict[str, Any]) -> None:
    text = (FOLDER / "compose.yaml").read_text("utf-8")
    for name in re.findall(r"\$\{?(\w+)", text):
        assert f"export {name}=" in page(), name
    environment = database["environment"]
    assert environment.keys() == IMAGE_VARIABLES
    user, name = environment["POSTGRES_USER"], environment["POSTGRES_DB"]
    assert f"postgresql://{user}@index.example.org/{name}" in page()
    assert database["healthcheck"]["test"] == ["CMD", "pg_isready", "-U", user, "-d", name]
    assert database["ports"] == ["5432:5432"], "the URL on the page has no port"
    assert all(name in page() for name in ("shared_buffers", "max_connections")), "they are what to change"


def test_no_one_connects_without_a_password_or_from_afar_without_tls() -> None:
    rules = [
        line.split() for line in (FOLDER / "pg_hba.conf").read_text("utf-8").splitlines() if line[0] != "#"
    ]
    assert {rule[0] for rule in rules} == {"local", "hostssl"} and {rule[-1] for rule in rules} == {
        "scram-sha-256"
    }


def page() -> str:
    return (DOCS / "team-index.md").read_text("utf-8")
