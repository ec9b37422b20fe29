import JSONSchema
import OAuthWire

/// Shapes that the protocols' operations share, by their names in the OpenAPI document.
enum ProtocolComponents {
    static let all: [(name: String, shape: Shape)] = [
        ("OAuthError", oauthError), ("DeviceError", deviceError), ("Tokens", tokens), ("Consent", consent),
    ]

    private static let oauthError = Shape.object(
        [
            .required("error", .text(), "A code for programs"),
            .required("error_description", .text(), "Advice for developers, in English and ASCII"),
            Member("reason", .text(), "With access_denied: the person's reason for the rejection"),
            Member("interval", .integer(1...3600), "Seconds to wait between polls from now on"),
        ])

    private static let deviceError = Shape.object([
        .required("statusCode", .integer()), .required("error", .text()), .required("message", .text()),
        Member("errorCode", .text()),
    ])

    private static let tokens = Shape.object([
        .required("access_token", .text()), .required("token_type", .choice(TokenType.allCases.map(\.rawValue))),
        .required("expires_in", .integer(0...2_592_000), "Seconds"), Member("id_token", .text()),
        Member("refresh_token", .text()), Member("scope", .text()), Member("authorization_details", .list(.anyObject)),
        Member("approval_receipt", .text(), "The receipt, if the request asked for it"),
    ])

    private static let consent = Shape.object(
        [.required("id", .text()), .required("requested_details", .anyObject)], isOpen: true)
}
