import AuthorizationCore
import Primitives

/// Number of decisions that a part of the cache was told. An answer of the store from an earlier generation may be
/// outdated, and is not kept.
struct CacheGeneration: Sendable, Equatable {
    fileprivate var number: UInt64 = 0
}

/// State machine of a part of `PendingRequestCache`: each event changes the state, and the answer to a poll says what
/// to do next. It takes no lock and reads no clock, so that tests replay transcripts.
///
/// A request is *unknown*, *paced* (its rate is kept, and the store is asked) or *trusted* (answered without the
/// store).
///
/// | event | unknown | paced | trusted |
/// |---|---|---|---|
/// | `polled` by its client | ask the store | ask the store | answer |
/// | `polled` by another client | ask the store | ask the store | ask the store |
/// | `found` at this generation | → trusted | → trusted | → trusted |
/// | `found` at an earlier one | → paced | → paced | as it was |
/// | `started` at this generation | → trusted | → trusted | → trusted |
/// | `started` at an earlier one | as it was | as it was | as it was |
/// | `ended` | as it was | → unknown | → unknown |
/// | five minutes, the expiry or `doubt` | as it was | as it was | → paced |
struct PendingRequests {
    enum PollAction: Equatable {
        case answer(PollRate.Verdict, expiresAt: Timestamp)
        /// Ask the store, and report a pending request as `found` with this generation.
        case askStore(CacheGeneration)
    }

    /// Time that the store's answer is trusted. Decisions are announced at once; this bounds the harm of a lost
    /// announcement.
    static let trust = Duration.seconds(300)
    /// The same beside other nodes, whose announcements may be lost.
    static let trustBesideOthers = Duration.seconds(10)
    /// Entries from which all of them are dropped, if none has expired.
    static let limit = 65_536
    /// Entries from which expired ones are dropped first.
    private static let firstSweep = 1024

    /// Small, because a node may hold a million.
    private struct Entry {
        let owner: ClientIdentity
        let expiresAt: Timestamp
        /// End of the trust in the store's answer; in the past for a request that is only paced.
        var trustedUntil: Timestamp
        var rate: PollRate

        mutating func polled(by owner: ClientIdentity, _ now: Timestamp) -> PollAction? {
            guard now < expiresAt, now < trustedUntil, self.owner == owner else { return nil }
            return .answer(rate.record(at: now), expiresAt: expiresAt)
        }
    }

    private let trust: Duration
    private var entries: [AuthReqIDHash: Entry] = [:]
    private var sweepAt = Self.firstSweep
    private(set) var generation = CacheGeneration()

    init(trust: Duration = Self.trust) { self.trust = trust }

    var count: Int { entries.count }

    mutating func polled(_ hash: AuthReqIDHash, by owner: ClientIdentity, now: Timestamp) -> PollAction {
        // In place: a copy of the entry would change its reference counts.
        guard let place = entries.index(forKey: hash), let action = entries.values[place].polled(by: owner, now)
        else { return .askStore(generation) }
        return action
    }

    /// The store has a pending request, which was read at `readAt` for a poll.
    mutating func found(
        _ hash: AuthReqIDHash, of owner: ClientIdentity, _ request: PolledRequest, readAt: CacheGeneration,
        now: Timestamp
    ) -> PollRate.Verdict {
        sweep(now)
        var entry =
            entries[hash]
            ?? Entry(
                owner: owner, expiresAt: request.expiresAt, trustedUntil: now,
                rate: PollRate(interval: request.interval, last: nil))
        let verdict = entry.rate.record(at: now)
        if readAt == generation { entry.trustedUntil = now + trust }
        entries[hash] = entry
        return verdict
    }

    /// A request was stored. `madeAt` is the generation before that: the request may have been decided since.
    mutating func started(
        _ hash: AuthReqIDHash, by owner: ClientIdentity, _ request: BackchannelRequest, madeAt: CacheGeneration
    ) {
        sweep(request.createdAt)
        guard madeAt == generation else { return }
        entries[hash] = Entry(
            owner: owner, expiresAt: request.expiresAt, trustedUntil: request.createdAt + trust,
            rate: PollRate(interval: request.interval, last: nil))
    }

    /// A request was decided or answered for good, and that was committed.
    mutating func ended(_ hash: AuthReqIDHash) {
        generation.number &+= 1
        entries[hash] = nil
    }

    /// Any request may have ended. Each is paced as before, and the store is asked for it.
    mutating func doubt() {
        generation.number &+= 1
        for hash in entries.keys { entries[hash]?.trustedUntil = Timestamp(seconds: 0) }
    }

    private mutating func sweep(_ now: Timestamp) {
        guard entries.count >= sweepAt else { return }
        entries = entries.filter { $0.value.expiresAt > now }
        if entries.count >= Self.limit { entries = [:] }
        sweepAt = max(Self.firstSweep, min(entries.count * 2, Self.limit))
    }
}
