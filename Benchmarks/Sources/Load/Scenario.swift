/// Decides the next request of each connection of one loop. An instance lives on one thread.
package protocol Scenario: AnyObject {
    /// The loop begins; `connections` are open and idle.
    func begin(_ connections: [Connection])
    /// A whole answer arrived; the connection is idle again.
    func answered(_ answer: Answer, on connection: Connection)
    /// A piece of a stream arrived.
    func streamed(_ bytes: UnsafeRawBufferPointer, on connection: Connection)
    /// The server closed the connection. It is open again, and the request in flight is lost.
    func reopened(_ connection: Connection)
    /// Called at least every 20 ms, for requests that wait for a time.
    func tick(_ now: UInt64)
    /// True ends the loop early.
    var isFinished: Bool { get }
    /// The scenario's own counts, summed over loops. `restartCounting` sets them to zero.
    var tally: [String: Int] { get }
    /// Latencies that the scenario measured. Nil means that the latency of each answer counts.
    var latencies: LatencyHistogram? { get }
    /// The warm-up is over.
    func restartCounting()
    /// The loop is over.
    func ended()
}

extension Scenario {
    package func streamed(_ bytes: UnsafeRawBufferPointer, on connection: Connection) {}
    package func tick(_ now: UInt64) {}
    package var isFinished: Bool { false }
    package var tally: [String: Int] { [:] }
    package var latencies: LatencyHistogram? { nil }
    package func restartCounting() {}
    package func ended() {}
}
