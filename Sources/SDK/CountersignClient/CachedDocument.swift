import HTTPModel
import Primitives

/// A JSON document of the provider, fetched when needed and cached while it is fresh (RFC 9111). All callers share one
/// request, which completes even if callers stop waiting.
actor CachedDocument<Value: Sendable> {
    private struct Entry {
        let value: Value
        let freshUntil: Timestamp
        let usableUntil: Timestamp
    }

    private let environment: CountersignClient.Environment
    private let url: @Sendable () async throws(CountersignError) -> String
    private let read: @Sendable (JSONValue) throws(CountersignError) -> Value
    private var entry: Entry?
    private var lastFailure: (time: Timestamp, error: CountersignError)?
    private var lastRefresh: Timestamp?
    private var flight: Flight<Value>?

    /// `url` finds the document, and `read` converts it.
    init(
        _ environment: CountersignClient.Environment,
        at url: @escaping @Sendable () async throws(CountersignError) -> String,
        read: @escaping @Sendable (JSONValue) throws(CountersignError) -> Value
    ) {
        self.environment = environment
        self.url = url
        self.read = read
    }

    /// The fresh document, or for a limited time a stale one while the provider does not answer.
    func value() async throws(CountersignError) -> Value {
        let now = environment.clock.now
        if let entry {
            if now < entry.freshUntil { return entry.value }
            if now < entry.usableUntil, isRecent(lastFailure?.time, now) { return entry.value }
        }
        do throws(CountersignError) {
            return try await fetch()
        } catch {
            if let entry, now < entry.usableUntil, error != .cancelled { return entry.value }
            throw error
        }
    }

    /// Fetches the document again because something was missing in it. Nil means that this was done less than
    /// `CachePolicy.cooldown` ago. If that attempt failed, its error is thrown again.
    func refreshed() async throws(CountersignError) -> Value? {
        let now = environment.clock.now
        if flight == nil {
            if isRecent(lastRefresh, now) {
                if let lastFailure, isRecent(lastFailure.time, now) { throw lastFailure.error }
                return nil
            }
            lastRefresh = now
        }
        return try await fetch()
    }

    private func isRecent(_ moment: Timestamp?, _ now: Timestamp) -> Bool {
        guard let moment else { return false }
        return now < moment + CachePolicy.cooldown
    }

    private func fetch() async throws(CountersignError) -> Value {
        let flight = self.flight ?? Task { await load() }
        self.flight = flight
        return try await flight.outcome()
    }

    private func load() async -> Result<Value, CountersignError> {
        defer { flight = nil }
        do throws(CountersignError) {
            let response = try await request()
            guard response.status == 200 else {
                throw .network("the server answered with status \(response.status) instead of a document")
            }
            guard let json = try? JSONReader.parse(response.body) else {
                throw .protocolViolation("a published document is not JSON")
            }
            let value = try read(json)
            let freshUntil = environment.clock.now + CachePolicy.freshness(response.fields)
            entry = Entry(value: value, freshUntil: freshUntil, usableUntil: freshUntil + CachePolicy.staleIfError)
            lastFailure = nil
            return .success(value)
        } catch {
            lastFailure = (environment.clock.now, error)
            return .failure(error)
        }
    }

    private func request() async throws(CountersignError) -> ClientResponse {
        let url = try await url()
        do throws(HTTPClientError) {
            return try await environment.transport.send(
                ClientRequest(
                    method: .get, url: url, fields: ["Accept": "application/json"], timeout: CachePolicy.timeout))
        } catch {
            throw CountersignError(error)
        }
    }
}

/// Lifetimes of cached documents.
enum CachePolicy {
    /// Minimum time between two requests for a missing key, or after a failure, so that a wrong `kid` cannot cause a
    /// flood.
    static let cooldown: Duration = .seconds(30)
    /// Time for which a stale document is used while the provider does not answer (RFC 5861 clause 4).
    static let staleIfError: Duration = .seconds(3600)
    static let timeout: Duration = .seconds(10)
    private static let standard = 300
    private static let range = 30...86_400

    /// `max-age` less `Age` (RFC 9111 clause 4.2), limited to `30...86400` seconds. The default is five minutes.
    static func freshness(_ fields: HTTPFields) -> Duration {
        var seconds = standard
        for directive in fields.values(of: "Cache-Control").flatMap({ $0.lowercased().split(separator: ",") }) {
            let directive = directive.filter { $0 != " " && $0 != "\t" && $0 != "\"" }
            if directive == "no-store" || directive == "no-cache" { return .seconds(range.lowerBound) }
            if directive.hasPrefix("max-age="), let age = Int(directive.dropFirst(8)) { seconds = age }
        }
        let age = fields["Age"].flatMap { Int($0) } ?? 0
        let clamped = min(max(seconds, 0), range.upperBound) - min(max(age, 0), range.upperBound)
        return .seconds(max(clamped, range.lowerBound))
    }
}
