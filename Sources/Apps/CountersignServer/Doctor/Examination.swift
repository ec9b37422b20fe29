import AuthorizationCore

/// A part of a doctor's work that may take long.
struct Examination: Sendable {
    /// Maximum number of examinations at once. Most wait for other machines.
    static let width = 128

    /// Checks to which its findings belong.
    let checks: [DoctorCheck]
    let subject: String
    /// Maximum time from its start. Nil means that of all examinations.
    let limit: Duration?
    let run: @Sendable () async -> [DoctorFinding]

    init(
        _ checks: [DoctorCheck], _ subject: String, within limit: Duration? = nil,
        run: @escaping @Sendable () async -> [DoctorFinding]
    ) {
        self.checks = checks
        self.subject = subject
        self.limit = limit
        self.run = run
    }

    /// One finding for each check.
    fileprivate func late(after limit: Duration) -> [DoctorFinding] {
        checks.map { check in
            .fault(
                check, subject, "not finished within \(limit.inWords)",
                advice: "try again with a longer --timeout; if it is late again, something on the way neither answers "
                    + "nor refuses")
        }
    }

    fileprivate var unbegun: [DoctorFinding] {
        checks.map { check in
            .warning(
                check, subject, "not examined for lack of time",
                advice: "give more time with --timeout, or examine one tenant with --tenant")
        }
    }
}

extension [Examination] {
    private enum Event: Sendable {
        case done(Int, [DoctorFinding])
        /// The examination's own time is over.
        case late(Int)
        /// The time of all is over.
        case end
    }

    /// Runs all, several at once, for at most `limit`. Late ones have a fault and are abandoned, because for example a
    /// resolver cannot be interrupted. Others that never began have a warning.
    /// - Parameter progress: Receives the number of finished examinations.
    /// - Returns: The findings in the order of the examinations.
    func findings(
        within limit: Duration, by timer: any Timer, progress: @Sendable (Int) -> Void
    ) async -> [DoctorFinding] {
        guard !isEmpty else { return [] }
        let (events, sink) = AsyncStream.makeStream(of: Event.self)
        var tasks: [Task<Void, Never>] = []
        defer { for task in tasks { task.cancel() } }
        func send(_ event: Event, after time: Duration) {
            tasks.append(
                Task {
                    try? await timer.sleep(time)
                    sink.yield(event)
                })
        }
        send(.end, after: limit)
        var results: [Int: [DoctorFinding]] = [:]
        var next = 0
        func startNext() {
            guard next < count else { return }
            let (index, examination) = (next, self[next])
            next += 1
            tasks.append(Task { sink.yield(.done(index, await examination.run())) })
            if let own = examination.limit { send(.late(index), after: own) }
        }
        for _ in 0..<Examination.width { startNext() }
        wait: for await event in events {
            let index: Int
            let findings: [DoctorFinding]
            switch event {
            case .done(let done, let found): (index, findings) = (done, found)
            case .late(let late): (index, findings) = (late, self[late].late(after: self[late].limit ?? limit))
            case .end: break wait
            }
            guard results[index] == nil else { continue }
            results[index] = findings
            progress(results.count)
            if results.count == count { break }
            startNext()
        }
        return enumerated().flatMap { index, examination in
            results[index] ?? (index < next ? examination.late(after: limit) : examination.unbegun)
        }
    }
}

extension Duration {
    /// The whole part in the largest fitting unit, such as `3 hours`.
    var inWords: String {
        let seconds = Swift.max(0, components.seconds)
        let units: [(name: String, length: Int64)] = [("day", 86_400), ("hour", 3600), ("minute", 60), ("second", 1)]
        for unit in units where seconds >= unit.length || unit.length == 1 {
            let count = seconds / unit.length
            return count == 1 ? "1 \(unit.name)" : "\(count) \(unit.name)s"
        }
        return "0 seconds"
    }
}
