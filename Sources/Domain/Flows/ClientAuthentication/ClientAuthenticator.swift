public import AuthorizationCore
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

/// Proves clients by secret (RFC 6749 clause 2.3.1), and takes public ones by their name (clause 2.3).
public struct ClientAuthenticator: Sendable {
    private static let noSecret = SecretBytes([])
    private static let noHashes = [[UInt8](repeating: 0, count: Digest256.size)]

    private let hashing: any Hashing

    public init(hashing: any Hashing) { self.hashing = hashing }

    /// Secrets are random and long, so SHA-256 is enough to store them, and quick enough for every poll. An unknown
    /// client costs the same work as a wrong secret and gets the same answer; so does a public client that sends a
    /// secret, and a confidential one that sends none: each uses a method that it is not registered for.
    public func authenticate(
        _ credentials: PresentedCredentials, parameters: Parameters, directory: TenantDirectory, remoteAddress: String
    ) throws(OAuthError) -> Authenticated<Parameters> {
        let client = directory.clients[ClientID(credentials.clientID)]
        let secret = credentials.secret ?? Self.noSecret
        let presented = secret.withBytes { hashing.sha256($0) }
        var matches = false
        for hash in client?.secretHashes ?? Self.noHashes { matches = Digest256(hash).matches(presented) || matches }
        guard let client, client.isPublic ? credentials.method == .none : credentials.secret != nil && matches else {
            throw OAuthError(
                .invalidClient, en: "Client authentication failed: check client_id and client_secret",
                fr: "L'authentification du client a échoué : vérifiez client_id et client_secret",
                detail: "client \(credentials.clientID.prefix(64))")
        }
        return Authenticated(
            message: parameters, client: client, directory: directory, remoteAddress: remoteAddress)
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
    public func requireSecret(for grant: GrantType) throws(OAuthError) {
        guard !client.isPublic else {
            throw OAuthError(
                .unauthorizedClient, en: "Grant type '\(grant.rawValue)' needs a client with a secret.",
                fr: "Le type d'octroi « \(grant.rawValue) » exige un client qui a un secret.")
        }
    }
}
