"""A server that hangs up, dawdles or lies about lengths, over real sockets, for both kinds of waiting."""

import asyncio
import contextlib
import datetime
import socket
import ssl
import threading
import time

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from countersign._http import Network, Request, Unreachable

WHOLE = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


@contextlib.contextmanager
def server(*pieces, pause=0.0, stays_open=False):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        closed = threading.Event()

        def serve():
            with contextlib.suppress(OSError):
                connection, _ = listener.accept()
                with connection:
                    connection.recv(65536)
                    for piece in pieces:
                        time.sleep(pause)
                        connection.sendall(piece)
                    if stays_open:
                        connection.settimeout(5)
                        if connection.recv(1) == b"":
                            closed.set()

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/", closed
        listener.close()
        thread.join(5)


def in_thread(request):
    return Network(None).send(request)


def in_loop(request):
    return asyncio.run(Network(None).send_async(request))


both = pytest.mark.parametrize("send", [in_thread, in_loop])


@both
def test_a_whole_answer_arrives_although_the_connection_stays_open(send):
    with server(WHOLE, stays_open=True) as (url, _):
        assert send(Request("GET", url, 5)).body == b"ok"


@both
def test_a_chunked_answer_arrives(send):
    with server(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n") as (url, _):
        assert send(Request("GET", url, 5)).body == b"ok"


@both
@pytest.mark.parametrize("piece", [b"", WHOLE[:5], WHOLE[:-1], WHOLE.replace(b"2", b"9"), b"no HTTP\r\n\r\n"])
def test_a_server_that_hangs_up_is_unreachable(send, piece):
    with server(piece) as (url, _), pytest.raises(Unreachable):
        send(Request("GET", url, 5))


@both
def test_a_server_that_dawdles_is_left_at_the_deadline(send):
    began = time.monotonic()
    with server(*[b"H"] * 20, pause=0.1) as (url, _), pytest.raises(Unreachable):
        send(Request("GET", url, 0.5))
    assert time.monotonic() - began < 5


@both
def test_nobody_listens(send):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(Unreachable):
        send(Request("GET", f"http://127.0.0.1:{port}/", 5))


def test_a_cancelled_task_closes_its_connection():
    async def run(url):
        task = asyncio.create_task(Network(None).send_async(Request("GET", url, 30)))
        await asyncio.sleep(0.3)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.sleep(0)

    with server(stays_open=True) as (url, closed):
        asyncio.run(run(url))
        assert closed.wait(3)


def test_a_cancellation_counts_although_the_answer_has_just_arrived():
    async def run():
        network, answer = Network(None), asyncio.get_running_loop().create_future()

        async def exchange(_):
            return await answer

        network._exchange = exchange
        task = asyncio.create_task(network.send_async(Request("GET", "http://127.0.0.1/", 5)))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        answer.set_result("answer")
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(run())


# MARK: proxies

HOST = "id.example.com"


@pytest.fixture(scope="session")
def certificate(tmp_path_factory):
    """A file with a certificate of a host that no name server knows, and its key."""
    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, HOST)])
    now = datetime.datetime.now(datetime.timezone.utc)
    made = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key()).serial_number(1)
    made = made.not_valid_before(now - datetime.timedelta(1)).not_valid_after(now + datetime.timedelta(1))
    made = made.add_extension(x509.SubjectAlternativeName([x509.DNSName(HOST)]), False)
    made = made.add_extension(x509.BasicConstraints(True, None), True)
    file = tmp_path_factory.mktemp("tls") / "certificate.pem"
    pem = serialization.Encoding.PEM
    file.write_bytes(made.sign(key, hashes.SHA256()).public_bytes(pem) + key.private_bytes(
        pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
    return file


@contextlib.contextmanager
def proxy(certificate, answer=b"HTTP/1.1 200 Connection established\r\n\r\n"):
    """A proxy behind which a server of that host answers over TLS. Yields its port, and the heads of its requests."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    heads = []
    with socket.create_server(("127.0.0.1", 0)) as listener:
        def serve():
            with contextlib.suppress(OSError):
                plain, _ = listener.accept()
                with plain:
                    plain.settimeout(5)
                    heads.append(plain.recv(65536).decode("latin-1"))
                    plain.sendall(answer)
                    with context.wrap_socket(plain, server_side=True) as connection:
                        heads.append(connection.recv(65536).decode())
                        connection.sendall(WHOLE)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield listener.getsockname()[1], heads
        listener.close()
        thread.join(5)


def through(certificate, how, request):
    network = Network(str(certificate))
    return network.send(request) if how is in_thread else asyncio.run(network.send_async(request))


@pytest.fixture
def environment(monkeypatch):
    for name in ("HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy", "ALL_PROXY", "all_proxy", "HTTP_PROXY", "http_proxy"):
        monkeypatch.delenv(name, raising=False)
    return monkeypatch


@both
def test_a_request_goes_through_a_tunnel_of_the_proxy(send, certificate, environment):
    with proxy(certificate) as (port, heads):
        environment.setenv("HTTPS_PROXY", f"http://agent:p%40ss@127.0.0.1:{port}")
        assert through(certificate, send, Request("GET", f"https://{HOST}:8443/a", 5)).body == b"ok"
    assert heads[0].startswith(f"CONNECT {HOST}:8443 HTTP/1.1\r\nHost: {HOST}:8443\r\n")
    assert "Proxy-Authorization: Basic YWdlbnQ6cEBzcw==\r\n" in heads[0]
    assert heads[1].startswith("GET /a HTTP/1.1\r\n") and "Proxy" not in heads[1]


@both
@pytest.mark.parametrize("answer, is_permanent", [
    (b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n", True), (b"HTTP/1.1 502 Bad Gateway\r\n\r\n", False),
    (b"HTTP/1.1 200 OK\r\n\r\nmore", False), (b"no HTTP\r\n\r\n", False)])
def test_a_proxy_that_makes_no_tunnel_gets_no_request(send, answer, is_permanent, certificate, environment):
    with proxy(certificate, answer) as (port, heads):
        environment.setenv("HTTPS_PROXY", f"http://127.0.0.1:{port}")
        with pytest.raises(Unreachable) as failure:
            through(certificate, send, Request("GET", f"https://{HOST}/a", 2))
    assert failure.value.permanent == is_permanent and len(heads) == 1


@both
def test_a_proxy_that_is_silent_is_left_at_the_deadline(send, certificate, environment):
    with server(stays_open=True) as (url, _):
        environment.setenv("HTTPS_PROXY", url)
        began = time.monotonic()
        with pytest.raises(Unreachable):
            through(certificate, send, Request("GET", f"https://{HOST}/a", 0.5))
        assert time.monotonic() - began < 4


@both
@pytest.mark.parametrize("address", ["https://127.0.0.1:1", "socks5://127.0.0.1:1", "http://", "http://127.0.0.1:99999"])
def test_an_address_that_is_no_proxys_is_refused(send, address, certificate, environment):
    environment.setenv("HTTPS_PROXY", address)
    with pytest.raises(Unreachable, match="HTTPS_PROXY") as failure:
        through(certificate, send, Request("GET", f"https://{HOST}/a", 2))
    assert failure.value.permanent


@both
def test_no_proxy_is_between_a_program_and_its_own_machine(send, certificate, environment):
    environment.setenv("HTTPS_PROXY", "http://127.0.0.1:1")
    with proxy(certificate) as (port, heads):
        with pytest.raises(Unreachable):
            through(certificate, send, Request("GET", f"https://localhost:{port}/a", 2))
    assert not heads[0].startswith("CONNECT")


@both
def test_the_certificate_behind_a_proxy_is_verified(send, certificate, environment):
    with proxy(certificate) as (port, heads):
        environment.setenv("HTTPS_PROXY", f"http://127.0.0.1:{port}")
        with pytest.raises(Unreachable, match="not trusted"):
            through(certificate, send, Request("GET", "https://other.example.com/a", 2))
