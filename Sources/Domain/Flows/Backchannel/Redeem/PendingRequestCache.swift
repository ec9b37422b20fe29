import AuthorizationCore
import Primitives
import Synchronization

/// This node's memory of pending requests, which answers most polls without the store (decision 0008). It is lost
/// without harm. `PendingRequests` has the rules; this type shares them among threads.
package final class PendingRequestCache: Sendable {
    private final class Shard: Sendable {
        let requests: Mutex<PendingRequests>

        init(_ trust: Duration) { requests = Mutex(PendingRequests(trust: trust)) }
    }

    private let shards: [Shard]

    /// `hasOthers` means that other nodes decide requests of this store, too.
    package init(besideOthers hasOthers: Bool = false) {
        let trust = hasOthers ? PendingRequests.trustBesideOthers : PendingRequests.trust
        shards = (0..<16).map { _ in Shard(trust) }
    }

    private func requests<Result>(
        beside hash: AuthReqIDHash, _ body: (inout sending PendingRequests) -> sending Result
    ) -> sending Result {
        shards[hash.sixteenth].requests.withLock(body)
    }

    func polled(_ hash: AuthReqIDHash, by owner: ClientIdentity, now: Timestamp) -> PendingRequests.PollAction {
        requests(beside: hash) { $0.polled(hash, by: owner, now: now) }
    }

    func found(
        _ hash: AuthReqIDHash, of owner: ClientIdentity, _ request: PolledRequest, readAt: CacheGeneration,
        now: Timestamp
    ) -> PollRate.Verdict {
        requests(beside: hash) { $0.found(hash, of: owner, request, readAt: readAt, now: now) }
    }

    func generation(beside hash: AuthReqIDHash) -> CacheGeneration { requests(beside: hash) { $0.generation } }

    func started(
        _ hash: AuthReqIDHash, by owner: ClientIdentity, _ request: BackchannelRequest, madeAt: CacheGeneration
    ) {
        requests(beside: hash) { $0.started(hash, by: owner, request, madeAt: madeAt) }
    }

    package func ended(_ hash: AuthReqIDHash) { requests(beside: hash) { $0.ended(hash) } }

    /// Decisions of other nodes may have gone unheard.
    func doubt() { for shard in shards { shard.requests.withLock { $0.doubt() } } }
}
