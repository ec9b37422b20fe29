"""Settings: arguments count first, then the environment, then a development server's file in the working folder."""

from __future__ import annotations

import os
import pathlib
import re
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from ._jose import PrivateKey, read_private_key
from ._json import NotJSON, canonical, parse
from .errors import CannotAsk

AGENT_TOOLS = "urn:countersign:agent-tools"
DEVELOPMENT = pathlib.Path("countersign-data/development.json")
LOOPBACK = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True)
class Settings:
    issuer: str
    client_id: str
    secret: str | None = field(repr=False)
    key: PrivateKey | None = field(repr=False)
    user: str | None
    audience: str
    ca: str | None


def read_settings(
    issuer: str | None = None, client_id: str | None = None, client_secret: str | None = None,
    client_key: str | os.PathLike[str] | None = None, user: str | None = None, audience: str | None = None,
    ca: str | os.PathLike[str] | None = None,
) -> Settings:
    def value(given: str | os.PathLike[str] | None, name: str) -> str | None:
        return os.fspath(given) if given is not None else os.environ.get(f"COUNTERSIGN_{name}") or None

    issuer, client_id, user = value(issuer, "ISSUER"), value(client_id, "CLIENT_ID"), value(user, "USER")
    authority, key_file = value(ca, "CA"), value(client_key, "CLIENT_KEY")
    secret = client_secret if client_key is not None else value(client_secret, "CLIENT_SECRET")
    if client_secret is not None and client_key is None:
        key_file = None
    if issuer is None and DEVELOPMENT.is_file():
        development = _development()
        issuer, user = development.get("issuer"), user or development.get("user_id")
        if client_id is None:
            client_id, secret, key_file = development.get("client_id"), development.get("client_secret"), None
        beside = DEVELOPMENT.parent / "tls" / "ca.pem"
        authority = authority or (os.fspath(beside.resolve()) if beside.is_file() else None)
    if issuer is None:
        raise CannotAsk(
            "no server is named: set COUNTERSIGN_ISSUER, or run in the folder of a development server (make serve)")
    if client_id is None or (secret is None) == (key_file is None):
        raise CannotAsk("set COUNTERSIGN_CLIENT_ID, and either COUNTERSIGN_CLIENT_SECRET or COUNTERSIGN_CLIENT_KEY")
    key = None
    if key_file is not None:
        try:
            key = read_private_key(pathlib.Path(key_file).read_bytes())
        except (OSError, ValueError, TypeError) as error:
            raise CannotAsk(f"{key_file} is no private key in PEM that can be used: {error}") from None
    if authority is not None and not pathlib.Path(authority).is_file():
        raise CannotAsk(f"there is no file {authority}, which COUNTERSIGN_CA or ca names")
    return Settings(
        checked_issuer(issuer), client_id, secret, key, user, value(audience, "AUDIENCE") or AGENT_TOOLS, authority)


def checked_issuer(text: str) -> str:
    """The issuer with the slash at its end."""
    try:
        url = urlsplit(text)
        is_fit = url.scheme == "https" and url.hostname and url.port != 0 and url.username is None
    except ValueError:
        is_fit = False
    if not is_fit or not re.fullmatch(r"[!-~]+", text) or "?" in text or "#" in text:
        raise CannotAsk(f"the issuer {text!r} is no https address such as https://id.example.com/")
    return text if text.endswith("/") else f"{text}/"


def _development() -> dict[str, str]:
    try:
        value = parse(DEVELOPMENT.read_bytes())
        if not isinstance(value, dict) or not all(isinstance(one, str) for one in value.values()):
            raise NotJSON("not an object of texts")
    except (OSError, NotJSON) as error:
        raise CannotAsk(f"{DEVELOPMENT} cannot be used: {error}") from None
    if urlsplit(value.get("issuer", "")).hostname not in LOOPBACK:
        raise CannotAsk(f"{DEVELOPMENT} names a server elsewhere; set COUNTERSIGN_ISSUER if that is meant")
    return value


def subject(user: str | None) -> str | None:
    """The user's id, unless an address or a phone number names them."""
    return None if user is None or re.fullmatch(r"\+[0-9]+", user) or "@" in user and "|" not in user else user


def hint(user: str) -> str:
    """The `login_hint` for an id, an e-mail address or a phone number."""
    if subject(user) is not None:
        return canonical({"format": "opaque", "id": user}).decode()
    name = "email" if "@" in user else "phone_number"
    return canonical({"format": name, name: user}).decode()
