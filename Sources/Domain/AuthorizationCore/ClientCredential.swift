package import JOSE
package import Primitives
package import X509

/// Public credential of a client (Auth0: the credentials of an application).
package struct ClientCredential: Sendable, Equatable {
    package enum Content: Sendable, Equatable {
        /// Verifies assertions (`private_key_jwt`). A key that names an algorithm verifies only that one.
        case publicKey(JWK)
        /// Name that the certificate must have (`tls_client_auth`).
        case name(CertificateName)
        /// The certificate itself (`self_signed_tls_client_auth`).
        case certificate(Certificate)
    }

    package let id: ClientCredentialID
    package var name: String?
    package var content: Content
    package var createdAt: Timestamp
    /// Nil means no end.
    package var expiresAt: Timestamp?

    package init(
        id: ClientCredentialID, name: String? = nil, content: Content, createdAt: Timestamp,
        expiresAt: Timestamp? = nil
    ) {
        self.id = id
        self.name = name
        self.content = content
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }
}

extension Client {
    /// Maximum credentials of a client, enough to rotate several.
    package static let credentialLimit = 10

    /// Maximum bytes of each of an assertion's `iss`, `sub` and `jti` (Auth0's limit).
    package static let assertionNameLimit = 64

    /// Algorithms of assertions (OIDC Core 9).
    package static let assertionAlgorithms: [JWSAlgorithm] = [.rs256, .rs384, .ps256, .ps384, .es256, .es384, .edDSA]

    /// `credentials` that are valid at `now`.
    package func credentials(at now: Timestamp) -> [ClientCredential.Content] {
        credentials.filter { $0.expiresAt.map { now < $0 } ?? true }.map(\.content)
    }

    /// Keys registered with the client that are valid at `now`.
    package func registeredKeys(at now: Timestamp) -> JWKSet {
        let keys = credentials(at: now).compactMap { content in
            if case .publicKey(let key) = content { key } else { nil }
        }
        return JWKSet(keys: keys + (jwks?.keys ?? []))
    }
}
