import APIDescription
import Primitives

/// Shapes that the protocols' operations share, by their names in the OpenAPI document.
enum ProtocolComponents {
    static let all: [(name: String, shape: Shape)] = [
        ("OAuthError", oauthError), ("DeviceError", deviceError), ("Tokens", tokens), ("Consent", consent),
    ]

    private static let oauthError = Shape.object(
        [
            .required("error", .text(), "A code that programs go by"),
            .required("error_description", .text(), "What to change, in English and ASCII"),
            Member("reason", .text(), "With access_denied: why the person rejected the request, in their own words"),
            Member("interval", .integer(1...3600), "Seconds to wait between polls from now on"),
        ])

    private static let deviceError = Shape.object([
        .required("statusCode", .integer()), .required("error", .text()), .required("message", .text()),
        Member("errorCode", .text()),
    ])

    private static let tokens = Shape.object([
        .required("access_token", .text()), .required("token_type", .choice(["Bearer"])),
        .required("expires_in", .integer(0...ResourceLifetime.maximum), "Seconds"),
        Member("id_token", .text()), Member("refresh_token", .text()), Member("scope", .text()),
        Member("authorization_details", .list(.anyObject)),
    ])

    private static let consent = Shape.object(
        [.required("id", .text()), .required("requested_details", .anyObject)], isOpen: true)

    private enum ResourceLifetime { static let maximum = 2_592_000 }

    /// The answers that a request can get at any protocol endpoint instead of what it asked for.
    static func refusals(_ shape: String, _ statuses: [Int]) -> [Operation.Answer] {
        let texts: [Int: String] = [
            400: "What was sent is wrong; the description says how to mend it",
            401: "Whoever sent it could not be proven",
            403: "The proof does not fit, or more is needed",
            404: "There is nothing here, or no tenant of that host name",
            411: "The body came without Content-Length",
            413: "The body is too large",
            429: "Too many requests; Retry-After says how long to wait",
            503: "The server has too much to do; nothing was changed",
        ]
        return statuses.map { Operation.Answer($0, texts[$0] ?? "", .reference(shape)) }
    }
}
