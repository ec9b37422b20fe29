import AuthorizationCore
import Primitives
import Synchronization

/// Documents that others publish, by their addresses: fetched when they are first needed and kept for a while. Who needs
/// one that is being fetched waits for that one, and for a moment after a fetch, whatever came of it, there is no other.
final class DocumentCache<Document: Sendable, Failure: Error>: Sendable {
    struct Rules: Sendable {
        /// How long a document is believed without another look.
        let lifetime: Duration
        /// How long it is believed where it cannot be fetched any more; not less.
        let staleLifetime: Duration
        /// How long nothing is fetched again: made-up key ids must not make this server flood others.
        let pause: Duration
        /// Documents that are kept; those that were not fetched for longest are dropped.
        let countLimit = 4096
    }

    private struct Entry {
        var document: Document?
        var readAt: Timestamp?
        /// Of the last attempt, also one that failed.
        var triedAt: Timestamp?
        var failure: Failure?
        /// The attempt that is under way, for all who wait.
        var attempt: Task<Result<Document, Failure>, Never>?

        /// The document where it was read within `lifetime`.
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

    /// A document in which `suffices` finds what it looks for; one that was kept and does not suffice is fetched again,
    /// since it may have changed, but is answered all the same where it is not time for that. Throws why the last fetch
    /// failed where nothing that is kept suffices.
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
