public import AuthorizationCore
public import JOSE
public import OAuthWire
public import Primitives

/// A message whose sender was proven. Only `ClientAuthenticator` makes one, so a flow that takes it cannot be reached
/// without authentication.
public struct Authenticated<Message: Sendable>: Sendable {
    public let message: Message
    public let client: Client
    public let directory: TenantDirectory
    /// The peer's address, for the audit log.
    public let remoteAddress: String

    public var tenant: Tenant { directory.tenant }

    /// The same sender with another message.
    public func map<Other: Sendable>(
        _ transform: (Message) throws(OAuthError) -> Other
    ) throws(OAuthError) -> Authenticated<Other> {
        Authenticated<Other>(
            message: try transform(message), client: client, directory: directory, remoteAddress: remoteAddress)
    }

    fileprivate init(message: Message, client: Client, directory: TenantDirectory, remoteAddress: String) {
        self.message = message
        self.client = client
        self.directory = directory
        self.remoteAddress = remoteAddress
    }
}

extension Authenticated where Message == Parameters {
    fileprivate init(_ presented: ClientPresentation, by client: Client) {
        self.init(
            message: presented.parameters, client: client, directory: presented.directory,
            remoteAddress: presented.remoteAddress)
    }
}

/// Proves clients, each by the one method that it is registered for (RFC 6749 clause 2.3): a secret, an assertion, or
/// its name alone where it is public.
public struct ClientAuthenticator: Sendable {
    private static let noSecret = SecretBytes([])
    private static let noHashes = [[UInt8](repeating: 0, count: Digest256.size)]

    private let hashing: any Hashing
    private let verifier: any Verifier
    private let store: any ClientAssertionStore
    private let published: PublishedClientKeys

    public init(
        hashing: any Hashing, verifier: any Verifier, store: any ClientAssertionStore, published: PublishedClientKeys
    ) {
        self.hashing = hashing
        self.verifier = verifier
        self.store = store
        self.published = published
    }

    /// Throws `OAuthError` for every sender that is not proven.
    public func authenticate(_ presented: ClientPresentation) async throws -> Authenticated<Parameters> {
        if let proven = try authenticateAtOnce(presented) { return proven }
        guard case .assertion(let text) = presented.credentials.proof else {
            throw Self.refused(presented.credentials.clientID, "no proof that is known here")
        }
        return try await authenticate(presented, by: text)
    }

    /// Proves clients that have a secret, and takes public ones by their name; nil leaves the others, of whom nothing
    /// was believed, to `authenticate`.
    ///
    /// Secrets are random and long, so SHA-256 is enough to store them, and quick enough for every poll. An unknown
    /// client costs the same work as a wrong secret and gets the same answer; so does a public client that sends a
    /// secret, and a confidential one that sends none: each uses a method that it is not registered for.
    public func authenticateAtOnce(
        _ presented: ClientPresentation
    ) throws(OAuthError) -> Authenticated<Parameters>? {
        let name = presented.credentials.clientID
        let client = name.flatMap { presented.directory.clients[ClientID($0)] }
        let secret: SecretBytes?
        switch presented.credentials.proof {
        case .none: secret = nil
        case .secret(let presentedSecret): secret = presentedSecret
        case .assertion: return nil
        }
        let hash = (secret ?? Self.noSecret).withBytes { hashing.sha256($0) }
        var matches = false
        for stored in client?.secretHashes ?? Self.noHashes { matches = Digest256(stored).matches(hash) || matches }
        guard let client, client.isPublic ? secret == nil : client.usesSecret && secret != nil && matches else {
            throw Self.refused(name, "unknown, or not the secret, or not its method")
        }
        return Authenticated(presented, by: client)
    }

    /// The assertion is used up only once everything else about it is right, so that nobody can use up another's.
    private func authenticate(
        _ presented: ClientPresentation, by text: String
    ) async throws -> Authenticated<Parameters> {
        let name = presented.credentials.clientID
        let assertion: ClientAssertion
        do throws(ClientAssertion.Failure) {
            assertion = try ClientAssertion(parsing: text, clientID: name)
        } catch {
            throw Self.refusedAssertion(error.text, name, "\(error)")
        }
        let tenant = presented.directory.tenant
        guard let client = presented.directory.clients[assertion.client],
            client.authenticationMethod == .privateKeyJWT,
            Client.assertionAlgorithms.contains(assertion.jws.algorithm),
            let key = await key(of: client, for: assertion.jws, now: presented.now),
            let payload = try? assertion.jws.verified(
                by: key, allowed: Set(Client.assertionAlgorithms), using: verifier)
        else {
            throw Self.refusedAssertion(
                LocalizedText(
                    en: "check client_id, the assertion's kid and signature, and the key registered for the client",
                    fr: "vérifiez client_id, le kid et la signature de l'assertion, et la clé du client"),
                assertion.client.rawValue, "unknown, or not its key, or not its method")
        }
        let verified: ClientAssertion.Verified
        do throws(ClientAssertion.Failure) {
            verified = try assertion.check(
                payload, isAudience: { tenant.isClientAssertionAudience($0, calledAt: presented.path) },
                now: presented.now)
        } catch {
            throw Self.refusedAssertion(error.text, client.id.rawValue, "\(error)")
        }
        guard
            try await store.use(
                assertion: hash(verified.identifier, of: client, tenant), tenant: tenant.id, until: verified.end)
        else {
            throw Self.refusedAssertion(
                LocalizedText(
                    en: "the assertion was used before; make one with a jti of its own each time",
                    fr: "l'assertion a déjà servi ; faites-en une avec son propre jti à chaque fois"),
                client.id.rawValue, "assertion replayed")
        }
        return Authenticated(presented, by: client)
    }

    /// The key that an assertion names. Nothing ever falls back to another.
    private func key(of client: Client, for jws: JWS, now: Timestamp) async -> JWK? {
        if let key = client.registeredKeys(at: now).key(id: jws.keyID, for: jws.algorithm) { return key }
        guard let url = client.jwksURI else { return nil }
        let keys = await published.keys(at: url, now: now) { $0.key(id: jws.keyID, for: jws.algorithm) != nil }
        return keys?.key(id: jws.keyID, for: jws.algorithm)
    }

    /// Every part but the last is preceded by its length, so that no two inputs read the same.
    private func hash(_ identifier: String, of client: Client, _ tenant: Tenant) -> [UInt8] {
        var text = ""
        for part in [tenant.id.rawValue, client.id.rawValue] { text += "\(part.utf8.count):\(part)" }
        return hashing.sha256(utf8: text + identifier).bytes
    }
}

extension ClientAuthenticator {
    private static func refused(_ client: String?, _ reason: String) -> OAuthError {
        OAuthError(
            .invalidClient, en: "Client authentication failed: check client_id and client_secret",
            fr: "L'authentification du client a échoué : vérifiez client_id et client_secret",
            detail: "client \((client ?? "").prefix(64)): \(reason)")
    }

    private static func refusedAssertion(_ text: LocalizedText, _ client: String?, _ reason: String) -> OAuthError {
        OAuthError(
            .invalidClient, en: "Client authentication failed: \(text[.english])",
            fr: "L'authentification du client a échoué : \(text[.french])",
            detail: "client \((client ?? "").prefix(64)): \(reason)")
    }
}

extension Tenant {
    /// Whether an assertion that is for `audience` is for this tenant: for its issuer, its token endpoint or the
    /// endpoint that was called, under any of its names (CIBA Core 7.1, RFC 9126 clause 2).
    func isClientAssertionAudience(_ audience: String, calledAt path: String) -> Bool {
        if isIssuer(audience) { return true }
        return [path, "/oauth/token"].contains { path in
            audience.hasSuffix(path) && !audience.hasSuffix("/" + path)
                && isIssuer(String(audience.dropLast(path.count)))
        }
    }
}

extension Authenticated {
    /// RFC 6749 clause 5.2: a client registered without the grant is `unauthorized_client`.
    public func requireGrant(_ grant: GrantType) throws(OAuthError) {
        guard client.grantTypes.contains(grant) else {
            throw OAuthError(
                .unauthorizedClient, en: "Grant type '\(grant.rawValue)' not allowed for the client.",
                fr: "Le type d'octroi « \(grant.rawValue) » n'est pas permis à ce client.")
        }
    }

    /// A public client has nothing to prove itself with: anybody could ask in its name.
    public func requireConfidential(for grant: GrantType) throws(OAuthError) {
        guard !client.isPublic else {
            throw OAuthError(
                .unauthorizedClient, en: "Grant type '\(grant.rawValue)' needs a confidential client.",
                fr: "Le type d'octroi « \(grant.rawValue) » exige un client confidentiel.")
        }
    }
}
