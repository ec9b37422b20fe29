import APIDescription
import ApprovalWire
import JSONSchema
import Primitives
import Routing

/// Operations that clients call with their own credentials.
extension Operation {
    private static let forms = ["application/x-www-form-urlencoded", "application/json"]

    private static let credentials = [
        Member("client_id", .text(), "Required unless the Authorization header or the assertion names the client"),
        Member("client_secret", .text()), Member("client_assertion_type", .text()),
        Member("client_assertion", .text(), "A JWT that the client signed (RFC 7523)"),
    ]

    private static func form(
        _ members: [Member], example: JSONValue
    ) -> Body { Body(.object(members + credentials, isOpen: true), example: example, mediaTypes: forms) }

    private static func oauth(
        _ id: String, _ summary: String, tag: String, details: String, parameters: [Parameter] = [], body: Body,
        answer: Answer, statuses: [Int] = []
    ) -> Operation {
        Operation(
            id, summary, tag: tag, details: details, security: .client, parameters: parameters, body: body,
            answers: [answer] + refusals("OAuthError", [400, 401, 404, 411, 413] + statuses + [503]))
    }

    static let backchannelAuthentication = oauth(
        "backchannel_authentication", "Ask for a user's approval", tag: "CIBA",
        details: """
            Starts a backchannel authentication request (CIBA Core 7): the user's devices are notified at once. A client \
            whose requests the user rejected several times in a row, or reported, gets 429 until a pause is over.
            """,
        parameters: [
            Parameter(
                "Idempotency-Key", in: .header, .text(1...512),
                "1 to 255 printable ASCII characters, quoted or bare. Until the request expires, the same key with the same "
                    + "parameters gets the same answer and notifies nobody again, and with others it is refused")
        ],
        body: form(
            [
                .required("scope", .text(), "`openid` and scopes of the API"),
                .required("binding_message", .text(1...64), "Shown to the user on the phone and by the client"),
                .required(
                    "login_hint", .text(),
                    "The user: a subject identifier of RFC 9493 (iss_sub, email, phone_number or opaque) in JSON, or an "
                        + "e-mail address; addresses and numbers count if they are verified"),
                Member("audience", .text(), "The API that the access token is for"),
                Member("resource", .text(), "The same (RFC 8707)"),
                Member("requested_expiry", .either([.integer(1...259_200), .text()]), "Seconds"),
                Member("authorization_details", .text(), "A JSON array (RFC 9396)"),
                Member("approval_receipt", .text(), "`true` for a receipt beside the tokens, as `approval_receipt`"),
            ],
            example: [
                "client_id": "agent", "client_secret": "…", "scope": "openid", "binding_message": "TX-4711",
                "login_hint":
                    #"{"format":"iss_sub","iss":"https://example.com/","sub":"auth0|65f0c1d2e3a4b5c6d7e8f901"}"#,
            ]),
        answer: Answer(
            200, "The request was accepted",
            .object([
                .required("auth_req_id", .text()), .required("expires_in", .integer(), "Seconds"),
                Member("interval", .integer(), "Seconds between polls"),
                Member(
                    "matching_code", .text(),
                    "Two digits to display: the person picks them among three numbers on the phone"),
                Member("approval_uri", .text(), "Page on which the user, logged in, sees the request and may answer"),
            ]),
            example: [
                "auth_req_id": "…", "expires_in": 300, "interval": 5,
                "approval_uri": "https://example.com/u/approve?id=cns_…",
            ]),
        statuses: [429])

    static let token = oauth(
        "token", "Get tokens", tag: "OAuth",
        details: "For the grants authorization_code, refresh_token, client_credentials and "
            + "urn:openid:params:grant-type:ciba, which is polled: `Prefer: wait=N` (RFC 7240) holds a poll until the "
            + "user has decided, at most N seconds. A client that asks for more tokens of its own within a minute than the "
            + "tenant allows gets slow_down with Retry-After.",
        body: form(
            [
                .required("grant_type", .text()), Member("auth_req_id", .text()), Member("code", .text()),
                Member("code_verifier", .text(), "Required for codes requested with a code_challenge, else refused"),
                Member("redirect_uri", .text()), Member("refresh_token", .text()), Member("audience", .text()),
                Member("resource", .text(), "The same (RFC 8707)"), Member("scope", .text()),
            ],
            example: [
                "grant_type": "urn:openid:params:grant-type:ciba", "client_id": "agent", "client_secret": "…",
                "auth_req_id": "…",
            ]),
        answer: Answer(
            200, "Tokens", .reference("Tokens"),
            example: ["access_token": "…", "token_type": "Bearer", "expires_in": 86_400, "scope": "openid"]),
        statuses: [429])

    static let pushedAuthorization = oauth(
        "pushed_authorization", "Push an authorization request", tag: "Login",
        details: "Keeps the parameters of an authorization request for 30 seconds (RFC 9126).",
        body: form(
            [.required("response_type", .text()), .required("redirect_uri", .text())],
            example: [
                "client_id": "app", "response_type": "code", "redirect_uri": "app.example://callback",
                "scope": "openid", "code_challenge": "…", "code_challenge_method": "S256",
            ]),
        answer: Answer(
            201, "The parameters are kept",
            .object([.required("request_uri", .text()), .required("expires_in", .integer(), "Seconds")])),
        statuses: [429])

    static let revocation = oauth(
        "revocation", "Revoke a token, or withdraw a pending request", tag: "OAuth",
        details: "RFC 7009. The answer is the same for an unknown token. The auth_req_id of the client's own pending "
            + "request withdraws the request.",
        body: form(
            [
                .required("token", .text()),
                Member("token_type_hint", .text(), "Not needed: every kind is tried"),
            ], example: ["client_id": "app", "token": "…"]),
        answer: Answer(200, "The token is no longer valid"))

    static let introspection = oauth(
        "introspection", "Check if a token is valid", tag: "OAuth", details: "For resource servers (RFC 7662).",
        body: form([.required("token", .text())], example: ["client_id": "api", "client_secret": "…", "token": "…"]),
        answer: Answer(
            200, "The token's claims, or that it is not valid",
            .object([.required("active", .boolean)], isOpen: true), example: ["active": false]))

    /// `id` differs by method.
    static func receipt(_ id: String) -> Operation {
        Operation(
            id, "Get the receipt of a decision", tag: "CIBA",
            details: "A JWS that proves what the user allowed or rejected. For the client that asked, with its "
                + "credentials (in the Authorization header, or in a posted form), and for the holder of an access token "
                + "of the approval.",
            security: .token("an access token of the approval"),
            parameters: [Parameter("id", in: .path, .text(), "The id of the request: `cns_…`")],
            answers: [Answer(200, "The receipt", .text(), mediaType: ReceiptClaims.mediaType)]
                + refusals("OAuthError", [400, 401, 404, 500, 503]))
    }

    /// `id` differs by method.
    static func userInfo(_ id: String) -> Operation {
        Operation(
            id, "Show the claims of a token's user", tag: "OAuth",
            details: "OIDC Core 5.3. The token goes into the Authorization header.",
            security: .token("an access token with the scope openid"),
            answers: [
                Answer(200, "Claims", .object([.required("sub", .text())], isOpen: true), example: ["sub": "auth0|…"])
            ] + refusals("OAuthError", [400, 401, 403, 404, 503]))
    }
}
