"""A person's approval, before an agent acts. Exactly the approved call runs."""

from .calls import (
    Call, Guarded, Policy, approve, calling, current, default_client, guarded, run_all, run_all_async, set_default_client)
from .client import Approval, Countersign, Question
from .errors import CannotAsk, Changed, CountersignError, NobodyAnswered, Rejected
from .pending import Pending
from .receipts import InvalidReceipt, Receipt

__all__ = [
    "Approval", "Call", "CannotAsk", "Changed", "Countersign", "CountersignError", "Guarded", "InvalidReceipt",
    "NobodyAnswered", "Pending", "Policy", "Question", "Receipt", "Rejected", "approve", "calling", "current",
    "default_client", "guarded", "run_all", "run_all_async", "set_default_client"]
