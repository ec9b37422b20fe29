import Glibc

/// An answer whose bytes outlive the call.
package struct WholeAnswer: Sendable {
    package let status: Int
    /// From the status line to the blank line.
    package let head: [UInt8]
    package let body: [UInt8]

    fileprivate init(_ answer: Answer) {
        (status, head, body) = (answer.status, Array(answer.head), Array(answer.body))
    }
}

/// A keep-alive connection whose thread waits for each answer.
package final class BlockingConnection {
    private let connection: Connection

    package init(port: UInt16) throws(LoadFailure) {
        connection = Connection(index: 0, port: port)
        try connection.open()
    }

    /// - Throws: `LoadFailure.closed` or `LoadFailure.timedOut`, after which the connection is of no more use. The server may
    ///   have done what the request says.
    package func ask(_ request: [UInt8], within limit: Duration) throws(LoadFailure) -> WholeAnswer {
        connection.send(request)
        guard let answer = try answer(within: limit) else { throw .timedOut }
        return answer
    }

    /// Sends a request for a stream, which `streamed(within:_:)` reads.
    package func open(_ request: [UInt8]) {
        connection.isStream = true
        connection.send(request)
    }

    /// Passes the pieces of a stream that come within a time.
    /// - Returns: the answer once it has ended. Nil if it goes on.
    package func streamed(
        within limit: Duration, _ visit: @escaping (UnsafeRawBufferPointer) -> Void
    ) throws(LoadFailure) -> WholeAnswer? {
        try answer(within: limit, visit)
    }

    private func answer(
        within limit: Duration, _ visit: ((UnsafeRawBufferPointer) -> Void)? = nil
    ) throws(LoadFailure) -> WholeAnswer? {
        let end = MonotonicClock.now + limit.nanoseconds
        var result: WholeAnswer?
        while true {
            let now = MonotonicClock.now
            guard now < end else { return nil }
            let events = Int16(connection.hasUnsent ? POLLIN | POLLOUT : POLLIN)
            var descriptor = pollfd(fd: connection.descriptor, events: events, revents: 0)
            guard poll(&descriptor, 1, Int32(clamping: (end - now) / 1_000_000 + 1)) > 0 else { continue }
            if connection.hasUnsent { connection.flush() }
            guard descriptor.revents & ~Int16(POLLOUT) != 0 else { continue }
            let room = connection.reader.room()
            let count = recv(connection.descriptor, room.baseAddress, room.count, 0)
            guard count > 0 else {
                if count < 0, errno == EINTR || errno == EAGAIN { continue }
                throw .closed
            }
            connection.reader.filled(count)
            if try connection.reader.next(streamed: visit, { result = WholeAnswer($0) }), let result { return result }
        }
    }
}
