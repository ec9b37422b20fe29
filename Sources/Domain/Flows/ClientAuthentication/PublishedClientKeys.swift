import AuthorizationCore
public import HTTPModel
import JOSE
import Primitives
import Synchronization

/// Keys that clients publish themselves (`jwks_uri`, RFC 7591 clause 2): fetched when they are first needed and kept
/// for a while. One for the whole server.
public final class PublishedClientKeys: Sendable {
    private struct Known {
        var keys: JWKSet?
        var readAt: Timestamp?
        /// Of the last attempt, also one that failed.
        var triedAt: Timestamp?
        /// The attempt that is under way, for all who wait.
        var attempt: Task<JWKSet?, Never>?
    }

    /// How long a document is believed without another look.
    private static let lifetime = Duration.seconds(300)
    /// How long it is believed where it cannot be fetched any more.
    private static let staleLifetime = Duration.seconds(3600)
    /// How long nothing is fetched again: assertions with made-up key ids must not make this server flood others.
    private static let pause = Duration.seconds(30)
    /// Bytes of a document; ten RSA keys of 4096 bits with certificates fit.
    private static let sizeLimit = 65_536
    private static let timeout = Duration.seconds(5)
    /// Documents that are kept; those that were not read for longest are dropped.
    private static let countLimit = 4096

    private let client: any HTTPClient
    private let log: @Sendable (String) -> Void
    private let known = Mutex<[EndpointURL: Known]>([:])

    /// - Parameters:
    ///   - client: must refuse private addresses and redirects: the URLs are the clients' own choice.
    ///   - log: gets what went wrong with a client's document.
    public init(client: any HTTPClient, log: @escaping @Sendable (String) -> Void) {
        self.client = client
        self.log = log
    }

    /// The keys of a document in which `suffices` finds what it looks for; a document that was kept for a while and
    /// does not suffice is fetched again, since keys may have been rotated (OIDC Core 10.1.1). Nil where no keys are
    /// known.
    func keys(at url: EndpointURL, now: Timestamp, suffices: (JWKSet) -> Bool) async -> JWKSet? {
        enum Answer {
            case known(JWKSet?)
            case attempt(Task<JWKSet?, Never>)
        }
        let before = known.withLock { $0[url] }
        let fresh = before?.readAt.map { now < $0 + Self.lifetime } ?? false
        if fresh, let keys = before?.keys, suffices(keys) { return keys }
        let answer = known.withLock { known -> Answer in
            let entry = known[url] ?? Known()
            if let attempt = entry.attempt { return .attempt(attempt) }
            if let triedAt = entry.triedAt, now < triedAt + Self.pause {
                return .known(Self.usable(entry, now: now))
            }
            let attempt = Task { await self.fetch(url, now: now) }
            known[url, default: Known()].attempt = attempt
            known[url, default: Known()].triedAt = now
            if known.count > Self.countLimit { Self.dropOldest(&known, but: url) }
            return .attempt(attempt)
        }
        switch answer {
        case .known(let keys): return keys
        case .attempt(let attempt): return await attempt.value
        }
    }

    private func fetch(_ url: EndpointURL, now: Timestamp) async -> JWKSet? {
        let read = await read(url)
        return known.withLock { known in
            var entry = known[url] ?? Known()
            entry.attempt = nil
            if let read {
                entry.keys = read
                entry.readAt = now
            }
            known[url] = entry
            return Self.usable(entry, now: now)
        }
    }

    private func read(_ url: EndpointURL) async -> JWKSet? {
        let request = ClientRequest(
            method: .get, url: url.description, fields: ["Accept": "application/jwk-set+json, application/json"],
            timeout: Self.timeout)
        let response: ClientResponse
        do throws(HTTPClientError) {
            response = try await client.send(request)
        } catch {
            log("\(url): \(error)")
            return nil
        }
        guard response.status == 200, response.body.count <= Self.sizeLimit,
            let value = try? JSONReader.parse(response.body, depthLimit: 8), let keys = try? JWKSet(value)
        else {
            log("\(url): the answer, of status \(response.status), is no JWK set of at most \(Self.sizeLimit) bytes")
            return nil
        }
        return keys
    }

    private static func usable(_ entry: Known, now: Timestamp) -> JWKSet? {
        guard let readAt = entry.readAt, now < readAt + staleLifetime else { return nil }
        return entry.keys
    }

    private static func dropOldest(_ known: inout [EndpointURL: Known], but url: EndpointURL) {
        let oldest = known.filter { $0.key != url && $0.value.attempt == nil }
            .min { ($0.value.readAt ?? Timestamp(seconds: 0)) < ($1.value.readAt ?? Timestamp(seconds: 0)) }
        if let oldest { known[oldest.key] = nil }
    }
}
