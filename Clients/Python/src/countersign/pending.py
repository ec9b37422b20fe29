"""A request that waits for its answer, as text that another process can go on with."""

from __future__ import annotations

from dataclasses import dataclass, field

from ._json import NotJSON, canonical, parse
from .errors import CannotAsk

VERSION = 1


@dataclass(frozen=True)
class Pending:
    """A request that a person has not answered yet.

    `auth_req_id` is secret: with the client's credentials it yields the tokens. So is the JSON. Show neither to a model,
    a log or a page. `approval_uri` and `matching_code` are for the person. A call's arguments are not in it: what runs is
    compared with `digest`.
    """

    issuer: str
    auth_req_id: str = field(repr=False)
    request_id: str
    digest: str
    key: str = field(repr=False)
    user: str
    expires_at: float
    interval: float
    approval_uri: str
    matching_code: str | None = None

    def __post_init__(self) -> None:
        texts = (self.issuer, self.auth_req_id, self.request_id, self.digest, self.key, self.user, self.approval_uri)
        numbers = (self.expires_at, self.interval)
        if not (all(isinstance(one, str) for one in texts)
                and (self.matching_code is None or isinstance(self.matching_code, str))
                and all(isinstance(one, (int, float)) and one >= 0 for one in numbers)):
            raise TypeError("a member of the pending request has another type")

    def to_json(self) -> str:
        members = {name: value for name, value in vars(self).items() if value is not None}
        return canonical({"version": VERSION, **members}).decode()

    @classmethod
    def from_json(cls, text: str) -> Pending:
        try:
            members = parse(text)
            if members.pop("version") != VERSION:
                raise CannotAsk("the pending request is of another version of this package")
            return cls(**members)
        except (NotJSON, AttributeError, KeyError, TypeError) as error:
            raise CannotAsk(f"this is no pending request: {error}") from None
