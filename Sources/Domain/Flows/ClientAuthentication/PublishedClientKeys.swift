import AuthorizationCore
package import HTTPModel
import JOSE
import Primitives

/// Keys that clients publish themselves (`jwks_uri`, RFC 7591 clause 2). One for the whole server.
package final class PublishedClientKeys: Sendable {
    /// The document is no JWK set. The log has the reason.
    private struct Unreadable: Error {}

    /// Maximum bytes of a document. Ten RSA keys of 4096 bits with certificates fit.
    private static let sizeLimit = 65_536
    private static let timeout = Duration.seconds(5)

    private let known: DocumentCache<JWKSet, Unreadable>

    /// - Parameters:
    ///   - log: Gets the reason why a client's document cannot be used.
    package init(client: any OutgoingHTTPClient, log: @escaping @Sendable (String) -> Void) {
        known = DocumentCache(
            DocumentCache.Rules(lifetime: .seconds(300), staleLifetime: .seconds(3600))
        ) { url throws(Unreadable) in try await Self.read(url, client, log) }
    }

    /// Keys of a document. A kept document that does not suffice is fetched again, since keys may have been rotated
    /// (OIDC Core 10.1.1). Nil means that no keys are known.
    func keys(at url: EndpointURL, now: Timestamp, suffices: (JWKSet) -> Bool) async -> JWKSet? {
        try? await known.document(at: url, now: now, suffices: suffices)
    }

    private static func read(
        _ url: EndpointURL, _ client: any OutgoingHTTPClient, _ log: @Sendable (String) -> Void
    ) async throws(Unreadable) -> JWKSet {
        let request = ClientRequest(
            method: .get, url: url.description, fields: ["Accept": "application/jwk-set+json, application/json"],
            timeout: timeout)
        let response: ClientResponse
        do throws(HTTPClientError) {
            response = try await client.send(request)
        } catch {
            log("\(url): \(error)")
            throw Unreadable()
        }
        guard response.status == 200, response.body.count <= sizeLimit,
            let value = try? JSONReader.parse(response.body, depthLimit: 8), let keys = try? JWKSet(value)
        else {
            log("\(url): the answer, of status \(response.status), is no JWK set of at most \(sizeLimit) bytes")
            throw Unreadable()
        }
        return keys
    }
}
