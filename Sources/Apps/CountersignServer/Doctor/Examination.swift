import AuthorizationCore

/// A part of a doctor's work that may take long.
struct Examination: Sendable {
    let check: DoctorCheck
    let subject: String
    let run: @Sendable () async -> [DoctorFinding]
}

extension [Examination] {
    /// Maximum number of examinations at once.
    private static var width: Int { 32 }

    private enum Event: Sendable {
        case done(Int, [DoctorFinding])
        case late
    }

    /// Runs all, several at once, for at most `limit`. Late ones have a fault and are abandoned, because a resolver, for
    /// example, cannot be interrupted.
    /// - Parameter progress: Receives the number of finished examinations.
    /// - Returns: The findings in the order of the examinations.
    func findings(
        within limit: Duration, by timer: any Timer, progress: @Sendable (Int) -> Void
    ) async -> [DoctorFinding] {
        guard !isEmpty else { return [] }
        let (events, sink) = AsyncStream.makeStream(of: Event.self)
        var tasks: [Task<Void, Never>] = []
        defer { for task in tasks { task.cancel() } }
        tasks.append(
            Task {
                try? await timer.sleep(limit)
                sink.yield(.late)
            })
        var results: [Int: [DoctorFinding]] = [:]
        var next = 0
        func startNext() {
            guard next < count else { return }
            let (index, examination) = (next, self[next])
            next += 1
            tasks.append(Task { sink.yield(.done(index, await examination.run())) })
        }
        for _ in 0..<Self.width { startNext() }
        for await event in events {
            guard case .done(let index, let findings) = event else { break }
            results[index] = findings
            progress(results.count)
            if results.count == count { break }
            startNext()
        }
        return enumerated().flatMap { index, examination in
            results[index] ?? [
                .fault(
                    examination.check, examination.subject, "not finished within \(limit.inWords)",
                    advice: "try again with a longer --timeout; if it is late again, something on the way neither "
                        + "answers nor refuses")
            ]
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
