import AuthorizationCore
import Primitives
import Synchronization

/// Documents that other servers publish, by URL: fetched when first needed, and cached. Simultaneous callers share one
/// fetch. A pause follows each fetch, also a failed one.
final class DocumentCache<Document: Sendable, Failure: Error>: Sendable {
    struct Rules: Sendable {
        /// Time for which a document is used without a fetch.
        let lifetime: Duration
        /// Time for which a document is used if fetches fail. At least `lifetime`.
        let staleLifetime: Duration
        /// Minimum time between two fetches: invented key ids must not make this server flood others.
        let pause = Duration.seconds(30)
        /// Maximum documents. Those with the oldest fetch are dropped.
        let countLimit = 4096
    }

    private struct Entry {
        var document: Document?
        var readAt: Timestamp?
        /// Time of the last attempt, also a failed one.
        var triedAt: Timestamp?
        var failure: Failure?
        /// The running attempt, which all callers share.
        var attempt: Task<Result<Document, Failure>, Never>?

        /// The document, if it was read within `lifetime`.
        func document(for lifetime: Duration, _ now: Timestamp) -> Document? {
            readAt.flatMap { now < $0 + lifetime ? document : nil }
        }
    }

    private enum Answer {
        case known(Result<Document, Failure>)
        case attempt(Task<Result<Document, Failure>, Never>)
    }

    private let rules: Rules
    private let read: @Sendable (EndpointURL) async throws(Failure) -> Document
    private let entries = Mutex<[EndpointURL: Entry]>([:])

    init(_ rules: Rules, read: @escaping @Sendable (EndpointURL) async throws(Failure) -> Document) {
        self.rules = rules
        self.read = read
    }

    /// A document that suffices. A kept document that does not suffice is fetched again, since it may have changed;
    /// during a pause it is returned all the same. Throws the last fetch's failure if no kept document suffices.
    func document(
        at url: EndpointURL, now: Timestamp, suffices: (Document) -> Bool = { _ in true }
    ) async throws(Failure) -> Document {
        let before = entries.withLock { $0[url] }
        if let document = before?.document(for: rules.lifetime, now), suffices(document) { return document }
        let answer = entries.withLock { entries -> Answer in
            let entry = entries[url] ?? Entry()
            if let attempt = entry.attempt { return .attempt(attempt) }
            if let triedAt = entry.triedAt, now < triedAt + rules.pause {
                if let failure = entry.failure { return .known(.failure(failure)) }
                if let document = entry.document { return .known(.success(document)) }
            }
            let attempt = Task { await self.fetch(url, now: now) }
            entries[url, default: Entry()].attempt = attempt
            entries[url, default: Entry()].triedAt = now
            if entries.count > rules.countLimit { Self.dropOldest(&entries, but: url) }
            return .attempt(attempt)
        }
        let fetched: Result<Document, Failure> =
            switch answer {
            case .known(let result): result
            case .attempt(let attempt): await attempt.value
            }
        do throws(Failure) {
            return try fetched.get()
        } catch {
            guard let kept = before?.document(for: rules.staleLifetime, now), suffices(kept) else { throw error }
            return kept
        }
    }

    private func fetch(_ url: EndpointURL, now: Timestamp) async -> Result<Document, Failure> {
        let fetched: Result<Document, Failure>
        do throws(Failure) { fetched = .success(try await read(url)) } catch { fetched = .failure(error) }
        entries.withLock { entries in
            entries[url, default: Entry()].attempt = nil
            switch fetched {
            case .success(let document):
                entries[url, default: Entry()].document = document
                entries[url, default: Entry()].readAt = now
                entries[url, default: Entry()].failure = nil
            case .failure(let failure): entries[url, default: Entry()].failure = failure
            }
        }
        return fetched
    }

    private static func dropOldest(_ entries: inout [EndpointURL: Entry], but url: EndpointURL) {
        let oldest = entries.filter { $0.key != url && $0.value.attempt == nil }
            .min { ($0.value.readAt ?? Timestamp(seconds: 0)) < ($1.value.readAt ?? Timestamp(seconds: 0)) }
        if let oldest { entries[oldest.key] = nil }
    }
}
