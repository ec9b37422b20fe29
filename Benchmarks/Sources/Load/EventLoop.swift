import CEpoll
import Glibc

/// Drives the connections of one thread: one `epoll_wait` for all that are ready, then one `recv` and one `send` per
/// request.
final class EventLoop {
    private let epoll: Int32
    private let connections: [Connection]
    private let scenario: any Scenario
    private(set) var measurement = Measurement()

    init(ports: [UInt16], connections count: Int, scenario: any Scenario) throws(LoadFailure) {
        self.scenario = scenario
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard epoll >= 0 else { throw .system("epoll_create1", errno: errno) }
        connections = (0..<count).map { Connection(index: $0, port: ports[$0 % ports.count]) }
        for connection in connections {
            try connection.open()
            try watch(connection, EPOLL_CTL_ADD)
        }
    }

    deinit { close(epoll) }

    /// Runs until the scenario finishes or `duration` has passed after `warmUp`, whose answers do not count.
    func run(warmUp: Duration, duration: Duration) throws(LoadFailure) {
        var events = [epoll_event](repeating: epoll_event(), count: 256)
        var start = MonotonicClock.now
        var isWarm = warmUp == .zero
        let warmAt = start + warmUp.nanoseconds
        let end = warmAt + duration.nanoseconds
        scenario.begin(connections)
        for connection in connections { try watchOutput(connection) }
        while !scenario.isFinished {
            let ready = epoll_wait(epoll, &events, Int32(events.count), 10)
            guard ready >= 0 || errno == EINTR else { throw .system("epoll_wait", errno: errno) }
            for index in 0..<Int(max(0, ready)) {
                try serve(connections[Int(events[index].data.u32)], events[index].events)
            }
            let now = MonotonicClock.now
            scenario.tick(now)
            if !isWarm, now >= warmAt {
                isWarm = true
                start = now
                measurement = Measurement()
                scenario.restartCounting()
            }
            if now >= end { break }
        }
        measurement.seconds = Double(MonotonicClock.now - start) / 1e9
        measurement.tally = scenario.tally
        if let latencies = scenario.latencies { measurement.latencies = latencies }
        scenario.ended()
    }

    private func serve(_ connection: Connection, _ events: UInt32) throws(LoadFailure) {
        if events & EPOLLOUT.rawValue != 0 { connection.flush() }
        if events & ~EPOLLOUT.rawValue != 0 { try receive(connection) }
        try watchOutput(connection)
    }

    private func receive(_ connection: Connection) throws(LoadFailure) {
        let room = connection.reader.room()
        let count = recv(connection.descriptor, room.baseAddress, room.count, 0)
        guard count > 0 else {
            if count < 0, errno == EAGAIN || errno == EINTR { return }
            measurement.reopened += 1
            try connection.open()
            try watch(connection, EPOLL_CTL_ADD)
            scenario.reopened(connection)
            return
        }
        connection.reader.filled(count)
        if connection.isStream {
            let scenario = scenario
            while try connection.reader.next(
                streamed: { scenario.streamed($0, on: connection) },
                { scenario.answered($0, on: connection) })
            {}
            return
        }
        var statuses = 0
        while try connection.reader.next({ answer in
            statuses = answer.status
            measurement.latencies.record(nanoseconds: MonotonicClock.now - connection.sentAt)
            scenario.answered(answer, on: connection)
        }) {
            measurement.count(status: statuses)
        }
    }

    private func watchOutput(_ connection: Connection) throws(LoadFailure) {
        guard connection.hasUnsent != connection.isWatchingOutput else { return }
        connection.isWatchingOutput = connection.hasUnsent
        try watch(connection, EPOLL_CTL_MOD)
    }

    private func watch(_ connection: Connection, _ operation: Int32) throws(LoadFailure) {
        var event = epoll_event()
        event.events = EPOLLIN.rawValue | (connection.isWatchingOutput ? EPOLLOUT.rawValue : 0)
        event.data.u32 = UInt32(connection.index)
        guard epoll_ctl(epoll, operation, connection.descriptor, &event) == 0 else {
            throw .system("epoll_ctl", errno: errno)
        }
    }
}

extension Duration {
    var nanoseconds: UInt64 {
        UInt64(max(0, components.seconds)) * 1_000_000_000 + UInt64(max(0, components.attoseconds) / 1_000_000_000)
    }
}
