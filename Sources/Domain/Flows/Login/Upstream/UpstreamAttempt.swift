package import Primitives

/// State of a login at another provider while the browser is there. It belongs to one transaction, and so to one
/// browser. A callback takes it out, so that it is used once.
package struct UpstreamAttempt: Sendable, Equatable {
    /// The connection's name.
    package let connection: String
    /// SHA-256 of `state`.
    package let stateHash: [UInt8]
    /// `nonce` that the ID token must have (OIDC Core 3.1.2.1).
    package let nonce: String
    /// `code_verifier` (RFC 7636 clause 4.1).
    package let verifier: String
    /// Address that the provider sends the browser to. Redeeming the code repeats it (RFC 6749 clause 4.1.3).
    package let redirectURI: String
    /// Earliest accepted `auth_time` at the provider. Nil accepts any.
    package let provenSince: Timestamp?
    /// True if the provider must tell `auth_time`.
    package let needsTime: Bool
}

extension UpstreamAttempt {
    /// Reads the form that `json` makes. Nil for anything else.
    package init?(_ json: JSONValue) {
        guard let connection = json["connection"]?.stringValue,
            let stateHash = json["state_hash"]?.stringValue.flatMap({ Base64URL.decode($0) }),
            let nonce = json["nonce"]?.stringValue, let verifier = json["verifier"]?.stringValue,
            let redirectURI = json["redirect_uri"]?.stringValue
        else { return nil }
        self.init(
            connection: connection, stateHash: stateHash, nonce: nonce, verifier: verifier, redirectURI: redirectURI,
            provenSince: json["proven_since"]?.intValue.map { Timestamp(milliseconds: Int64($0)) },
            needsTime: json["needs_time"]?.boolValue ?? false)
    }

    package var json: JSONValue {
        [
            "connection": .string(connection), "state_hash": .string(Base64URL.encode(stateHash)),
            "nonce": .string(nonce), "verifier": .string(verifier), "redirect_uri": .string(redirectURI),
            "proven_since": provenSince.map { JSONValue($0.milliseconds) } ?? .null, "needs_time": .bool(needsTime),
        ]
    }

    /// The transaction that the `state` of a callback names. It proves nothing: the transaction must be one of the
    /// browser that brings it, and `state` the one of its attempt.
    package static func transaction(of state: String) -> String? {
        let parts = state.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 2 && !parts[0].isEmpty ? String(parts[0]) : nil
    }
}
