"""A server that hangs up, dawdles or lies about lengths, over real sockets, for both kinds of waiting."""

import asyncio
import contextlib
import socket
import threading
import time

import pytest

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
