public import Flows
import Synchronization

/// Counts how often somebody said that the outbox has entries.
public final class RecordingSignal: OutboxSignal {
    private let signals = Mutex(0)

    public init() {}

    public var count: Int { signals.withLock { $0 } }

    public func entriesAdded() { signals.withLock { $0 += 1 } }
}
