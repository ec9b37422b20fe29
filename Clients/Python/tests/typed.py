"""Uses that a type checker accepts, and one for each kind that it refuses. No test runs it."""

from countersign import Pending, approve, run_all


class Bank:
    @approve("payment", headline="{amount} EUR", leave_out=("self",))
    def pay(self, amount: int) -> str:
        return f"paid {amount}"

    @approve(leave_out=("self",))
    async def close(self) -> bool:
        return True


@approve()
def add(a: int, b: int = 0) -> float:
    return a + b


def uses(bank: Bank, pending: Pending) -> list[float | Exception]:
    paid: str = bank.pay(1)
    again: str = Bank.pay.call(bank, 1).resume(pending)
    total: float = add(1, b=2)
    add("1")  # type: ignore[arg-type]
    bank.pay("1")  # type: ignore[arg-type]
    add.call(1, c=2)  # type: ignore[call-arg]
    print(paid, again, total)
    return run_all([add.call(1), add.call(2)])


async def uses_in_a_loop(bank: Bank) -> bool:
    return await bank.close() and await Bank.close.call(bank).call_async()
