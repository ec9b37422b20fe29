"""Refunds orders after a person's approval, which another run of this program may use."""

import os
import pathlib
import sys

from countersign import Call, CountersignError, Pending, approve

ORDERS = {"4711": "12.50", "4712": "99.00"}
WAITING = pathlib.Path("waiting")


@approve("payment", headline="{amount} EUR", to="the customer of order {order}")
def refund(order: str, amount: str) -> str:
    return f"refunded {amount} EUR"


def call_of(order: str) -> Call[str]:
    """The call by the order's data of now. If these changed since the approval, nothing is refunded."""
    return refund.call(order, ORDERS[order])


def ask(order: str) -> None:
    WAITING.mkdir(mode=0o700, exist_ok=True)
    file = os.open(WAITING / order, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(file, "w") as output:
        output.write(call_of(order).start().to_json())
    print(f"{order}: asked")


def work(file: pathlib.Path) -> None:
    call = call_of(file.name)
    try:
        approval = call.poll(Pending.from_json(file.read_text()))
        if approval is None:
            return
        outcome = call.run(approval)
    except CountersignError as error:
        outcome = str(error)
    file.unlink()
    print(f"{file.name}: {outcome}")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["ask", *orders]:
            for order in orders:
                ask(order)
        case ["work"]:
            for file in sorted(WAITING.iterdir()):
                work(file)
        case _:
            sys.exit("usage: refunds.py ask ORDER… | refunds.py work")
