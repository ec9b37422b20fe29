import Glibc
import Synchronization

/// A load on a server of this machine: connections spread over threads, each thread with a scenario of its own.
package struct Load: Sendable {
    package var port: UInt16
    /// Ports of further nodes. Connections take all ports in turn.
    package var otherPorts: [UInt16] = []
    package var threads: Int
    /// Total connections, shared equally by the threads.
    package var connections: Int
    package var warmUp: Duration
    package var duration: Duration

    package init(port: UInt16, threads: Int, connections: Int, warmUp: Duration, duration: Duration) {
        self.port = port
        self.threads = threads
        self.connections = connections
        self.warmUp = warmUp
        self.duration = duration
    }

    /// Runs to the end on its own threads. Calls `scenario` on each with the thread's number.
    package func run(scenario: @escaping @Sendable (Int) throws -> any Scenario) throws -> Measurement {
        let outcome = Mutex(Outcome())
        let load = self
        try withThreads(threads) { number in
            do {
                let share = load.connections / load.threads
                let loop = try EventLoop(
                    ports: [load.port] + load.otherPorts, connections: share, scenario: scenario(number))
                try loop.run(warmUp: load.warmUp, duration: load.duration)
                let measurement = loop.measurement
                outcome.withLock { $0.measurement.add(measurement) }
            } catch {
                outcome.withLock { $0.failure = $0.failure ?? error }
            }
        }
        return try outcome.withLock {
            if let failure = $0.failure { throw failure }
            return $0.measurement
        }
    }

    private struct Outcome: Sendable {
        var measurement = Measurement()
        var failure: (any Error)?
    }
}

/// Runs `body` on `count` threads at once and waits for all of them.
package func withThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) throws(LoadFailure) {
    final class Work: Sendable {
        let number: Int
        let body: @Sendable (Int) -> Void
        init(_ number: Int, _ body: @escaping @Sendable (Int) -> Void) {
            self.number = number
            self.body = body
        }
    }
    var threads: [pthread_t] = []
    var failure: Int32 = 0
    for number in 0..<count {
        let work = Unmanaged.passRetained(Work(number, body))
        var thread = pthread_t()
        failure = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                let work = Unmanaged<Work>.fromOpaque(argument).takeRetainedValue()
                work.body(work.number)
                return nil
            }, work.toOpaque())
        guard failure == 0 else {
            work.release()
            break
        }
        threads.append(thread)
    }
    for thread in threads { pthread_join(thread, nil) }
    guard failure == 0 else { throw .system("pthread_create", errno: failure) }
}

extension Load {
    /// True if a server accepts connections on the loopback port.
    package static func isReachable(port: UInt16) -> Bool {
        let connection = Connection(index: 0, port: port)
        return (try? connection.open()) != nil
    }
}

extension Load {
    /// Sends one request on a new connection, for preparations.
    package static func ask(
        port: UInt16, _ request: [UInt8], within limit: Duration = .seconds(10)
    ) throws(LoadFailure) -> (status: Int, body: [UInt8]) {
        let answer = try BlockingConnection(port: port).ask(request, within: limit)
        return (answer.status, answer.body)
    }
}
