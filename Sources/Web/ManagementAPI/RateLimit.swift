import AuthorizationCore
import Primitives
import Synchronization

/// A bucket of requests for each client, which fills again evenly within a minute. Soft state of one node: a limit
/// against clients that run wild, which nothing depends on.
final class RateLimit: Sendable {
    struct Standing: Sendable {
        let limit: Int
        let remaining: Int
        /// When the bucket is full again, in seconds since 1970: some SDKs wait for it before they repeat a request.
        let reset: Int64
        let isExceeded: Bool
    }

    private struct Key: Hashable {
        let tenant: TenantID
        let client: ClientID
    }

    /// Requests of a client that are not yet made good for.
    private struct Bucket {
        var used = 0.0
        var at: Timestamp
    }

    /// Buckets that are kept before those that are full again are dropped.
    private static let bucketLimit = 10_000

    private let buckets = Mutex<[Key: Bucket]>([:])

    func count(_ client: ClientID, of tenant: Tenant, now: Timestamp) -> Standing {
        let limit = Double(tenant.settings.managementRequestsPerMinute)
        let key = Key(tenant: tenant.id, client: client)
        let (used, isExceeded) = buckets.withLock { buckets in
            if buckets.count > Self.bucketLimit {
                buckets = buckets.filter { now.seconds - $0.value.at.seconds < 60 }
            }
            var bucket = buckets[key] ?? Bucket(at: now)
            let passed = max(0, Double(now.milliseconds - bucket.at.milliseconds) / 1000)
            bucket.used = max(0, bucket.used - passed * limit / 60)
            bucket.at = now
            let isExceeded = bucket.used + 1 > limit
            if !isExceeded { bucket.used += 1 }
            buckets[key] = bucket
            return (bucket.used, isExceeded)
        }
        return Standing(
            limit: Int(limit), remaining: Int(limit - used),
            reset: now.seconds + Int64((used * 60 / limit).rounded(.up)), isExceeded: isExceeded)
    }
}
