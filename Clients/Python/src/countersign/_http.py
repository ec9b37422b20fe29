"""Exchanges over HTTP, by the standard library alone, with deadlines for the whole exchange."""

from __future__ import annotations

import asyncio
import base64
import http.client
import io
import re
import socket
import ssl
import time
import urllib.request
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar, Union
from urllib.parse import unquote, urlsplit

from ._settings import LOOPBACK

T = TypeVar("T")
LARGEST_ANSWER = 4 << 20
LARGEST_HEAD = 1 << 16


@dataclass(frozen=True)
class Request:
    method: str
    url: str
    timeout: float
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    body: bytes


class Unreachable(Exception):
    """No complete answer came. A permanent failure does not pass by itself."""

    def __init__(self, text: str, permanent: bool = False) -> None:
        super().__init__(text)
        self.permanent = permanent


# Requests of a flow to the outside: the answer to a request, or a pause in seconds. A flow knows neither threads nor
# event loops, so that there is one for both.
Flow = Generator[Union[Request, float], Any, T]


class Transport(Protocol):
    def send(self, request: Request) -> Answer: ...

    async def send_async(self, request: Request) -> Answer: ...

    def sleep(self, seconds: float) -> None: ...

    async def sleep_async(self, seconds: float) -> None: ...

    def now(self) -> float:
        """Seconds since 1970."""
        ...


def drive(flow: Flow[T], transport: Transport) -> T:
    try:
        need = next(flow)
        while True:
            try:
                answer: Answer | None = None
                if isinstance(need, Request):
                    answer = transport.send(need)
                else:
                    transport.sleep(need)
            except Unreachable as failure:
                need = flow.throw(failure)
            else:
                need = flow.send(answer)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]


async def drive_async(flow: Flow[T], transport: Transport) -> T:
    try:
        need = next(flow)
        while True:
            try:
                answer: Answer | None = None
                if isinstance(need, Request):
                    answer = await transport.send_async(need)
                else:
                    await transport.sleep_async(need)
            except Unreachable as failure:
                need = flow.throw(failure)
            else:
                need = flow.send(answer)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]


class Network:
    """Real connections, one for each exchange: an approval makes few, and a held one must not block others."""

    def __init__(self, ca: str | None) -> None:
        self._tls = ssl.create_default_context(cafile=ca)

    def send(self, request: Request) -> Answer:
        deadline = time.monotonic() + request.timeout

        def left() -> float:
            seconds = deadline - time.monotonic()
            if seconds <= 0:
                raise TimeoutError("the server did not answer in time")
            return seconds

        host, port, tls, head = _prepared(request)
        try:
            with _connected(host, port, tls, left) as plain:
                connection = self._tls.wrap_socket(plain, server_hostname=host) if tls else plain
                with connection:
                    connection.settimeout(left())
                    connection.sendall(head + request.body)
                    data = bytearray()
                    while not _is_complete(data):
                        connection.settimeout(left())
                        piece = connection.recv(65536)
                        if not piece:
                            break
                        data += piece
            return _answer(data)
        except (OSError, http.client.HTTPException) as error:
            raise _unreachable(error) from error

    async def send_async(self, request: Request) -> Answer:
        # Avoids wait_for: before Python 3.12 it loses a cancellation that comes with the answer, and the call would run.
        exchange = asyncio.ensure_future(self._exchange(request))
        exchange.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
        try:
            await asyncio.wait({exchange}, timeout=request.timeout)
        finally:
            exchange.cancel()
        if not exchange.done():
            raise Unreachable("the server did not answer in time")
        try:
            return exchange.result()
        except (OSError, http.client.HTTPException) as error:
            raise _unreachable(error) from error

    async def _exchange(self, request: Request) -> Answer:
        host, port, tls, head = _prepared(request)
        secure: dict[str, Any] = {"ssl": self._tls, "server_hostname": host} if tls else {}
        if tls and _proxy(host) is not None:
            # A cancelled task leaves the thread, which closes its connection at the deadline.
            end = time.monotonic() + request.timeout
            plain = await asyncio.to_thread(_connected, host, port, tls, lambda: max(0.001, end - time.monotonic()))
            plain.setblocking(False)
            reader, writer = await asyncio.open_connection(sock=plain, **secure)
        else:
            reader, writer = await asyncio.open_connection(host, port, **secure)
        try:
            writer.write(head + request.body)
            await writer.drain()
            data = bytearray()
            while not _is_complete(data):
                piece = await reader.read(65536)
                if not piece:
                    break
                data += piece
        finally:
            # Also after a cancellation: no goodbye that would have to be waited for.
            writer.transport.abort()
        return _answer(data)

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)

    async def sleep_async(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    def now(self) -> float:
        return time.time()


def _proxy(host: str) -> str | None:
    """The proxy that HTTPS_PROXY and NO_PROXY, or the system's settings, name for a host of elsewhere."""
    if host in LOOPBACK or urllib.request.proxy_bypass(host):
        return None
    return urllib.request.getproxies().get("https")


def _connected(host: str, port: int, tls: bool, left: Callable[[], float]) -> socket.socket:
    """A connection to the server, or a tunnel to it (RFC 9110 clause 9.3.6) through the proxy."""
    address = _proxy(host) if tls else None
    if address is None:
        return socket.create_connection((host, port), left())
    try:
        proxy = urlsplit(address if "://" in address else f"http://{address}")
        place = proxy.hostname or "", proxy.port or 80
        if proxy.scheme != "http" or not proxy.hostname:
            raise ValueError
    except ValueError:
        raise Unreachable(
            "HTTPS_PROXY is no address such as http://proxy.example.com:3128", permanent=True) from None
    target = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    head = f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n"
    if proxy.username is not None:
        user = base64.b64encode(f"{unquote(proxy.username)}:{unquote(proxy.password or '')}".encode()).decode()
        head += f"Proxy-Authorization: Basic {user}\r\n"
    plain = socket.create_connection(place, left())
    try:
        plain.sendall(f"{head}\r\n".encode())
        data = b""
        while b"\r\n\r\n" not in data:
            plain.settimeout(left())
            piece = plain.recv(4096)
            if not piece or len(data) > LARGEST_HEAD:
                raise http.client.HTTPException("the proxy did not answer")
            data += piece
        status = re.match(rb"HTTP/1\.[01] ([0-9]{3})", data)
        # The server is silent until TLS begins, so that nothing follows the head.
        if status is None or status[1] != b"200" or not data.endswith(b"\r\n\r\n"):
            raise Unreachable(
                f"the proxy refuses the connection ({status[1].decode() if status else 'no HTTP'})",
                permanent=status is not None and status[1] in (b"403", b"407"))
    except BaseException:
        plain.close()
        raise
    return plain


def _prepared(request: Request) -> tuple[str, int, bool, bytes]:
    url = urlsplit(request.url)
    tls = url.scheme == "https"
    path = url.path + (f"?{url.query}" if url.query else "")
    fields = {"Host": url.netloc, "Connection": "close", "Accept": "application/json", **request.headers}
    if request.method == "POST":
        fields["Content-Length"] = str(len(request.body))
    lines = [f"{request.method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in fields.items())]
    return url.hostname or "", url.port or (443 if tls else 80), tls, "\r\n".join([*lines, "", ""]).encode("latin-1")


def _is_complete(data: bytearray) -> bool:
    """True if the answer is there although the connection stays open."""
    if len(data) > LARGEST_ANSWER:
        raise http.client.HTTPException("the answer is too large")
    end = data.find(b"\r\n\r\n")
    length = re.search(rb"\r\ncontent-length:[ \t]*([0-9]{1,9})[ \t]*\r\n", bytes(data[:end + 2]), re.IGNORECASE)
    return end >= 0 and length is not None and len(data) >= end + 4 + int(length[1])


class _Received:
    """Received bytes, for a reader that wants a socket."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def makefile(self, *_: Any) -> io.BytesIO:
        return io.BytesIO(self._data)


def _answer(data: bytearray) -> Answer:
    response = http.client.HTTPResponse(_Received(bytes(data)))  # type: ignore[arg-type]
    response.begin()
    fields = {name.lower(): value for name, value in response.getheaders()}
    # An answer that breaks off is refused, if it says how long it is.
    return Answer(response.status, fields, response.read())


def _unreachable(error: Exception) -> Unreachable:
    if isinstance(error, ssl.SSLCertVerificationError):
        return Unreachable(
            f"the server's certificate is not trusted ({error.verify_message}); name its authority's file with "
            "COUNTERSIGN_CA", permanent=True)
    return Unreachable(f"{error or type(error).__name__}")
