import AuthorizationCore
public import HTTPModel
import JOSE
import Primitives
import Synchronization

/// Other providers as they describe themselves: documents and keys are fetched when they are first needed and kept
/// for a while. One for the whole server.
public final class UpstreamProviders: Sendable {
    private struct Known {
        var provider: DiscoveredProvider?
        var readAt: Timestamp?
        var keys: JWKSet?
        var keysReadAt: Timestamp?
    }

    /// How long a document is believed.
    private static let lifetime = Duration.seconds(3600)
    /// How long an unknown `kid` is not asked for again, so that forged tokens do not make this server flood others.
    private static let pause = Duration.seconds(60)

    let http: UpstreamHTTP
    private let known = Mutex<[EndpointURL: Known]>([:])

    /// `client` should refuse answers of more than a mebibyte.
    public init(client: any HTTPClient) { http = UpstreamHTTP(client: client) }

    func provider(_ issuer: EndpointURL, now: Timestamp) async throws(UpstreamFailure) -> DiscoveredProvider {
        if let known = known.withLock({ $0[issuer] }), let provider = known.provider, let readAt = known.readAt,
            now < readAt + Self.lifetime
        {
            return provider
        }
        // OIDC Discovery 4.1: a slash at the issuer's end is not doubled.
        let url = issuer.appending(path: ".well-known/openid-configuration")
        let provider = try DiscoveredProvider(try await http.get(url), of: issuer)
        known.withLock { known in
            known[issuer, default: Known()].provider = provider
            known[issuer, default: Known()].readAt = now
        }
        return provider
    }

    /// The key that a token names. One that is not known has the keys fetched again, since they may have been rotated
    /// (OIDC Core 10.1.1); nothing ever falls back to another key.
    func key(
        for token: JWS, of provider: DiscoveredProvider, issuer: EndpointURL, now: Timestamp
    ) async throws(UpstreamFailure) -> JWK {
        let before = known.withLock { $0[issuer] }
        let age = before?.keysReadAt.map { now - $0 }
        if let keys = before?.keys, let age, age < Self.lifetime {
            if let key = keys.key(id: token.keyID, for: token.algorithm) { return key }
            guard age >= Self.pause else { throw .violation(.unknownKey) }
        }
        guard let keys = try? JWKSet(try await http.get(provider.keys)) else {
            throw .violation(.discovery("jwks_uri is no JWK set"))
        }
        known.withLock { known in
            known[issuer, default: Known()].keys = keys
            known[issuer, default: Known()].keysReadAt = now
        }
        guard let key = keys.key(id: token.keyID, for: token.algorithm) else { throw .violation(.unknownKey) }
        return key
    }
}
