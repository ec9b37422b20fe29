import asyncio
import pytest
import countersign
from countersign import approve, Countersign, Rejected, NobodyAnswered, CannotAsk, Changed

def test_smoke():
    c = Countersign.fake()
    @approve("payment", headline="{amount} EUR", to="{payee}", client=c)
    def pay(amount: float, payee: str, note: str = "") -> str:
        return f"{amount} {payee}"
    assert pay(5, "Bob") == "5 Bob"
    assert c.asked == [{"type": "payment", "tool": "pay", "headline": "5 EUR", "to": "Bob", "arguments": {"amount": 5, "payee": "Bob", "note": ""}}]
    c.answer("reject")
    with pytest.raises(Rejected): pay(5, "Bob")
    c.answer("nobody")
    with pytest.raises(NobodyAnswered): pay(5, "Bob")
    c.answer(None)
    with pytest.raises(NobodyAnswered): pay(5, "Bob")
