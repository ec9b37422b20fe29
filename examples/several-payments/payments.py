"""Pays several people. Each payment needs an approval of its own."""

from countersign import Countersign, approve, run_all

client = Countersign(receipts="receipts")


@approve("payment", headline="{amount} EUR", to="{payee}", client=client)
def pay(amount: int, payee: str) -> str:
    return f"paid {amount} EUR"


if __name__ == "__main__":
    payments = [pay.call(25, "Hanna"), pay.call(7, "Tyrion")]
    for payee, outcome in zip(("Hanna", "Tyrion"), run_all(payments)):
        print(f"{payee}: {outcome}")
