/// Decides what each connection of one loop asks next. An instance lives on one thread.
public protocol Scenario: AnyObject {
    /// The loop begins; `connections` are open and idle.
    func begin(_ connections: [Connection])
    /// A whole answer came; the connection is idle again.
    func answered(_ answer: Answer, on connection: Connection)
    /// A piece of a stream came.
    func streamed(_ bytes: UnsafeRawBufferPointer, on connection: Connection)
    /// The server closed the connection; it is open again, and what was in flight is lost.
    func reopened(_ connection: Connection)
    /// Called now and then, at least every 20 ms, for requests that wait for a time.
    func tick(_ now: UInt64)
    /// True ends the loop before its time.
    var isFinished: Bool { get }
    /// What the scenario counted itself, added up over loops. Counting begins anew when `restartCounting` is called.
    var tally: [String: Int] { get }
    /// What the scenario timed itself; nil where the latency of each answer is the measure.
    var latencies: LatencyHistogram? { get }
    /// The warm-up is over.
    func restartCounting()
    /// The loop is over.
    func ended()
}

extension Scenario {
    public func streamed(_ bytes: UnsafeRawBufferPointer, on connection: Connection) {}
    public func tick(_ now: UInt64) {}
    public var isFinished: Bool { false }
    public var tally: [String: Int] { [:] }
    public var latencies: LatencyHistogram? { nil }
    public func restartCounting() {}
    public func ended() {}
}
