package import AuthorizationCore
import HTTPModel
import JOSE
package import OAuthWire
import Primitives
import X509

/// A message of an authenticated client, with the request that it came in. Only `ClientAuthenticator` makes one, so no
/// flow that takes it can be called without authentication.
package struct Authenticated<Message: Sendable>: Sendable {
    package let message: Message
    let registered: RegisteredClient
    package let context: RequestContext
    /// Proofs of the sender that tokens may be bound to. An untrusted certificate is one, too (RFC 8705 clause 3.1).
    package let proven: [SenderConstraint]
    /// Administrator who tries the client without its secret. Nil for the client itself.
    private(set) var trying: UserID?

    package var client: Client { registered.client }
    package var configuration: TenantConfiguration { context.configuration }
    package var tenant: Tenant { context.tenant }

    /// The same sender with another message.
    package func with<Other: Sendable>(_ message: Other) -> Authenticated<Other> {
        var other = Authenticated<Other>(
            message: message, registered: registered, context: context, proven: proven)
        other.trying = trying
        return other
    }

    /// The same message at a later time, for a request that was held.
    func at(_ now: Timestamp) -> Authenticated {
        Authenticated(
            message: message, registered: registered, context: context.at(now), proven: proven)
    }

    fileprivate init(
        message: Message, registered: RegisteredClient, context: RequestContext, proven: [SenderConstraint]
    ) {
        self.message = message
        self.registered = registered
        self.context = context
        self.proven = proven
    }
}

extension Authenticated {
    /// A client that an administrator tries without its secret. Only ``TryClient`` may do that.
    init(_ person: UserID, trying registered: RegisteredClient, _ message: Message, _ context: RequestContext) {
        self.init(message: message, registered: registered, context: context, proven: [])
        trying = person
    }
}

/// Authenticates clients, each by the method that it is registered for (RFC 6749 clause 2.3): a secret, an assertion or
/// the certificate of its connection. A public client is identified by its name only.
package struct ClientAuthenticator: Sendable {
    private static let noSecret = SecretBytes([])
    private static let noSecrets = [Digest256([])]

    let hashing: any Hashing
    let verifier: any Verifier
    let store: any OneTimeValueStore
    let published: PublishedClientKeys
    let trust: any CertificateTrust

    /// Methods that can succeed. `certificatesCome` says whether clients' certificates reach the server.
    package func methods(certificatesCome: Bool) -> [Client.AuthenticationMethod] {
        Client.AuthenticationMethod.allCases.filter { method in
            switch method {
            case .tlsClientAuth: certificatesCome && trust.hasAuthorities
            case .selfSignedTLSClientAuth: certificatesCome
            case .clientSecretPost, .clientSecretBasic, .privateKeyJWT, .none: true
            }
        }
    }

    /// Throws `OAuthError` for every sender that does not authenticate.
    package func authenticate(_ presented: ClientPresentation) async throws -> Authenticated<Parameters> {
        if let proven = try authenticateSynchronously(presented) { return proven }
        if case .assertion(let text) = presented.credentials.proof {
            return try await authenticate(presented, by: text)
        }
        return try await authenticateByCertificate(presented)
    }

    private func proven(_ presented: ClientPresentation, as client: RegisteredClient) -> Authenticated<Parameters> {
        Authenticated(
            message: presented.parameters, registered: client, context: presented.context,
            proven: SenderConstraint.proven(by: presented.certificate, hashing))
    }

    /// Authenticates clients that have a secret, and identifies public ones by their name. Nil leaves other clients to
    /// `authenticate`.
    ///
    /// Secrets are random and long, so SHA-256 is enough to store them, and quick enough for every poll. An unknown
    /// client costs the same work as a wrong secret and gets the same answer; so does a public client that sends a
    /// secret, and a confidential one that sends none: each uses a method that it is not registered for.
    package func authenticateSynchronously(
        _ presented: ClientPresentation
    ) throws(OAuthError) -> Authenticated<Parameters>? {
        let name = presented.credentials.clientID
        let registered = name.flatMap { presented.context.configuration.registered(ClientID($0)) }
        let secret: SecretBytes?
        switch presented.credentials.proof {
        case .none:
            if let registered, registered.usesCertificate { return nil }
            secret = nil
        case .secret(let presentedSecret): secret = presentedSecret
        case .assertion: return nil
        }
        let hash = (secret ?? Self.noSecret).withBytes { hashing.sha256($0) }
        var matches = false
        for known in registered?.secrets ?? Self.noSecrets { matches = known.matches(hash) || matches }
        guard let registered,
            registered.isPublic ? secret == nil : registered.usesSecret && secret != nil && matches
        else {
            throw Self.refused(
                "check client_id and client_secret", name, "unknown, or not the secret, or not its method")
        }
        return proven(presented, as: registered)
    }

    /// Uses the assertion up only after all other checks, so that nobody can use up another client's.
    private func authenticate(
        _ presented: ClientPresentation, by text: String
    ) async throws -> Authenticated<Parameters> {
        let name = presented.credentials.clientID
        let assertion: ClientAssertion
        do throws(ClientAssertion.Failure) {
            assertion = try ClientAssertion(parsing: text, clientID: name)
        } catch {
            throw Self.refused(error.text, name, "\(error)")
        }
        let tenant = presented.context.configuration.tenant
        guard let registered = presented.context.configuration.registered(assertion.client),
            case let client = registered.client, client.authenticationMethod == .privateKeyJWT,
            Client.assertionAlgorithms.contains(assertion.jws.algorithm),
            let key = await key(of: client, for: assertion.jws, now: presented.context.now),
            let payload = try? assertion.jws.verified(
                by: key, allowed: Set(Client.assertionAlgorithms), using: verifier)
        else {
            throw Self.refused(
                "check client_id, the assertion's kid and signature, and the key registered for the client",
                assertion.client.rawValue, "unknown, or not its key, or not its method")
        }
        let verified: ClientAssertion.Verified
        do throws(ClientAssertion.Failure) {
            verified = try assertion.check(
                payload, isAudience: { tenant.isClientAssertionAudience($0, of: presented) },
                now: presented.context.now)
        } catch {
            throw Self.refused(error.text, client.id.rawValue, "\(error)")
        }
        guard
            try await store.use(
                hash(verified.identifier, of: client, tenant), tenant: tenant.id, until: verified.end)
        else {
            throw Self.refused(
                "the assertion was used before; make one with a jti of its own each time",
                client.id.rawValue, "assertion replayed")
        }
        return proven(presented, as: registered)
    }

    /// RFC 8705 clause 2. The TLS handshake proved that the sender has the certificate's key.
    private func authenticateByCertificate(
        _ presented: ClientPresentation
    ) async throws(OAuthError) -> Authenticated<Parameters> {
        let name = presented.credentials.clientID
        guard let registered = name.flatMap({ presented.context.configuration.registered(ClientID($0)) }),
            case let client = registered.client, client.usesCertificate
        else {
            throw Self.refused("check client_id and client_secret", name, "not its method")
        }
        guard let shown = presented.certificate else {
            throw Self.refused(
                "no certificate was presented; use the addresses of mtls_endpoint_aliases in the server's metadata",
                name, "no certificate")
        }
        guard let certificate = Certificate(der: shown.leaf), certificate.isValid(at: presented.context.now) else {
            throw Self.refused(
                "the certificate is malformed, has expired or is not valid yet",
                name, "certificate unreadable or not valid now")
        }
        let isProof =
            client.authenticationMethod == .tlsClientAuth
            ? isNamed(certificate, of: client, presented, shown)
            : await isRegistered(certificate, of: client, now: presented.context.now)
        guard isProof else {
            throw Self.refused(
                "the certificate is not one registered for the client, or no trusted authority vouches for it",
                name, "not its certificate")
        }
        return proven(presented, as: registered)
    }

    /// RFC 8705 clause 2.1: an authority vouches for the certificate, and it has a registered name.
    private func isNamed(
        _ certificate: Certificate, of client: Client, _ presented: ClientPresentation, _ shown: ClientCertificate
    ) -> Bool {
        let hasName = client.credentials(at: presented.context.now).contains { content in
            if case .name(let name) = content { name.names(certificate) } else { false }
        }
        return hasName && trust.vouches(for: shown.chain, at: presented.context.now)
    }

    /// RFC 8705 clause 2.2: the certificate is registered, or part of a key of the client.
    private func isRegistered(_ certificate: Certificate, of client: Client, now: Timestamp) async -> Bool {
        let isKnown = client.credentials(at: now).contains { content in
            if case .certificate(let known) = content { known.der == certificate.der } else { false }
        }
        if isKnown || client.jwks?.has(certificate) == true { return true }
        guard let url = client.jwksURI else { return false }
        return await published.keys(at: url, now: now) { $0.has(certificate) }?.has(certificate) ?? false
    }

    /// The key that an assertion names. There is no fallback to another key.
    private func key(of client: Client, for jws: JWS, now: Timestamp) async -> JWK? {
        if let key = client.registeredKeys(at: now).key(id: jws.keyID, for: jws.algorithm) { return key }
        guard let url = client.jwksURI else { return nil }
        let keys = await published.keys(at: url, now: now) { $0.key(id: jws.keyID, for: jws.algorithm) != nil }
        return keys?.key(id: jws.keyID, for: jws.algorithm)
    }

    /// The length precedes every part but the last, so that different inputs have different texts.
    private func hash(_ identifier: String, of client: Client, _ tenant: Tenant) -> [UInt8] {
        var text = ""
        for part in [tenant.id.rawValue, client.id.rawValue] { text += "\(part.utf8.count):\(part)" }
        return hashing.sha256(utf8: text + identifier).bytes
    }
}

extension ClientAuthenticator {
    private static func refused(_ text: ErrorDescription, _ client: String?, _ reason: String) -> OAuthError {
        OAuthError(
            .invalidClient, "Client authentication failed: \(text)",
            detail: "client \((client ?? "").prefix(64)): \(reason)")
    }
}

extension JWKSet {
    fileprivate func has(_ certificate: Certificate) -> Bool { keys.contains { $0.certificate == certificate.der } }
}

extension Tenant {
    /// True if `audience` is this tenant's issuer, its token endpoint or the called endpoint, under any of the tenant's
    /// names (CIBA Core 7.1, RFC 9126 clause 2).
    fileprivate func isClientAssertionAudience(_ audience: String, of presented: ClientPresentation) -> Bool {
        if isIssuer(audience) || audience == "https://\(presented.host)\(presented.path)" { return true }
        return [presented.path, EndpointPath.token.rawValue].contains { path in
            audience.hasSuffix(path) && !audience.hasSuffix("/" + path)
                && isIssuer(String(audience.dropLast(path.count)))
        }
    }
}

extension Authenticated {
    /// False if `senderConstraint` throws.
    package var canBindTokens: Bool { !registered.client.bindsTokensToCertificate || !proven.isEmpty }

    /// The constraint of the client's tokens (RFC 8705 clause 3). Nil means unbound tokens.
    /// - Throws: `OAuthError` if the tokens must be bound and the connection has no certificate.
    package func senderConstraint() throws(OAuthError) -> SenderConstraint? {
        guard client.bindsTokensToCertificate else { return nil }
        guard let certificate = proven.first else {
            throw OAuthError(
                .invalidRequest,
                "The client's tokens are bound to its certificate: use the addresses of mtls_endpoint_aliases")
        }
        return certificate
    }

    package func mayUse(_ grant: GrantType) -> Bool { registered.client.grantTypes.contains(grant) }

    /// RFC 6749 clause 5.2: a client registered without the grant is `unauthorized_client`.
    package func requireGrant(_ grant: GrantType) throws(OAuthError) {
        guard mayUse(grant) else {
            throw OAuthError(.unauthorizedClient, "Grant type '\(grant.rawValue)' not allowed for the client.")
        }
    }

    /// Refuses public clients: they do not authenticate, so anybody could use their name.
    package func requireConfidential(for grant: GrantType) throws(OAuthError) {
        guard !client.isPublic else {
            throw OAuthError(.unauthorizedClient, "Grant type '\(grant.rawValue)' needs a confidential client.")
        }
    }
}

extension SenderConstraint {
    /// Proofs that a request brings.
    static func proven(by certificate: ClientCertificate?, _ hashing: some Hashing) -> [SenderConstraint] {
        certificate.map { [.certificate(hashing.sha256($0.leaf))] } ?? []
    }
}
