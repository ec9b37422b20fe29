import AuthorizationCore
package import HTTPModel
import JOSE
import OAuthWire
import Primitives

/// Metadata and keys of other providers. The server has one of it.
package final class UpstreamProviders: Sendable {
    let http: UpstreamHTTP
    /// By issuer.
    private let described: DocumentCache<DiscoveredProvider, UpstreamFailure>
    /// By `jwks_uri`.
    private let published: DocumentCache<JWKSet, UpstreamFailure>

    /// `client` should refuse answers of more than a mebibyte.
    package init(client: any OutgoingHTTPClient) {
        let http = UpstreamHTTP(client: client)
        self.http = http
        // A provider that cannot be reached keeps its last known metadata for a day, and its keys for four hours.
        described = DocumentCache(
            DocumentCache.Rules(lifetime: .seconds(3600), staleLifetime: .seconds(86_400))
        ) { issuer throws(UpstreamFailure) in
            // OIDC Discovery 4.1: a slash at the issuer's end is not doubled.
            let url = issuer.appending(.openIDConfiguration)
            return try DiscoveredProvider(try await http.get(url), of: issuer)
        }
        published = DocumentCache(
            DocumentCache.Rules(lifetime: .seconds(3600), staleLifetime: .seconds(14_400))
        ) { url throws(UpstreamFailure) in
            let answer = try await http.get(url)
            guard let keys = try? JWKSet(answer) else { throw .violation(.discovery("jwks_uri is no JWK set")) }
            return keys
        }
    }

    func provider(_ issuer: EndpointURL, now: Timestamp) async throws(UpstreamFailure) -> DiscoveredProvider {
        try await described.document(at: issuer, now: now)
    }

    /// The key that a token names. Fetches the keys again for an unknown one, since they may have been rotated (OIDC Core
    /// 10.1.1). Never falls back to another key.
    func key(for token: JWS, of provider: DiscoveredProvider, now: Timestamp) async throws(UpstreamFailure) -> JWK {
        let keys = try await published.document(at: provider.keys, now: now) {
            $0.key(id: token.keyID, for: token.algorithm) != nil
        }
        guard let key = keys.key(id: token.keyID, for: token.algorithm) else { throw .violation(.unknownKey) }
        return key
    }
}
