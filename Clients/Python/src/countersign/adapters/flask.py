"""Flask: `approval = approved_call(verifier, detail)` in a view verifies token, details and receipt, or ends the request."""

from __future__ import annotations

from collections.abc import Mapping

from flask import abort, jsonify, make_response, request

from .._json import Json
from ..api import ApprovedCall, NotApproved, Verifier


def approved_call(verifier: Verifier, detail: Mapping[str, Json]) -> ApprovedCall:
    """The approval of exactly this detail. Otherwise the response says why not."""
    try:
        return verifier.check(request.headers.get("Authorization"), detail, request.headers.get("Approval-Receipt"))
    except NotApproved as refused:
        response = make_response(jsonify(error=refused.code, error_description=str(refused)), refused.status)
        response.headers.update(refused.headers)
        abort(response)
