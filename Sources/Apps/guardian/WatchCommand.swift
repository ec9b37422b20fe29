import Foundation
import Guardian
import Primitives
import Synchronization
import Terminal

enum Answer: String, CaseIterable, Sendable { case ask, allow, reject }

func watchCommand(_ connect: @escaping Connect) -> Command {
    let answer = Option.defaulted(
        "answer", .choice(of: Answer.self), to: .ask, "Ask about each request, or answer all of them the same way.")
    let reason = Option.optional("reason", .string, "Why requests are rejected; it goes into the server's log.")
    let count = Option.optional("count", .integer(1...1_000_000), "Stop after this many answers.")
    return Command(
        "watch", "Show each request as it comes, and answer it.",
        discussion: "Runs until it is stopped with Ctrl-C. Requests that came while nobody watched are shown first.",
        options: [
            OptionGroup("Answers", [answer.declaration, reason.declaration, count.declaration]), Options.common,
        ]
    ) { invocation in
        let answer = try invocation[answer]
        guard answer != .ask || invocation.output.input.isTerminal else {
            throw UsageError(
                "nobody can be asked here", hint: "--answer allow or --answer reject answers without asking")
        }
        let watch = Watch(
            phone: try invocation.phone(connect), answer: answer, reason: try invocation[reason],
            limit: try invocation[count])
        let signals = try TerminationSignal.stream()
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await watch.run() }
            group.addTask { for await _ in signals { return } }
            defer { group.cancelAll() }
            try await group.next()
            return 0
        }
    }
}

/// Takes requests one after the other; the one being asked about is let go when it needs no answer any more.
final class Watch: Sendable {
    private let phone: Phone
    private let answer: Answer
    private let reason: String?
    private let limit: Int?
    private let now: @Sendable () -> Date

    private struct State {
        var seen: Set<String> = []
        var withdrawn: Set<String> = []
        /// The request being asked about, and the task that asks.
        var asking: (id: String, task: Task<Bool?, Never>)?
    }

    private let state = Mutex(State())

    init(
        phone: Phone, answer: Answer, reason: String? = nil, limit: Int? = nil,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.phone = phone
        self.answer = answer
        self.reason = reason
        self.limit = limit
        self.now = now
    }

    func run() async throws {
        let (requests, queue) = AsyncStream<Guardian.Notification>.makeStream()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await explaining { try await self.listen(queue) } }
            group.addTask { try await self.handle(requests) }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    private func listen(_ queue: AsyncStream<Guardian.Notification>.Continuation) async throws {
        for try await event in phone.events() {
            switch event {
            case .connected:
                phone.output.note("Listening at \(phone.enrollment.domain) for \(phone.enrollment.userID).")
            case .notification(let notification, _):
                // Requests come again after a reconnection.
                if state.withLock({ $0.seen.insert(notification.requestID).inserted }) { queue.yield(notification) }
            case .withdrawal(let id, _):
                let asking = state.withLock { state in
                    state.withdrawn.insert(id)
                    return state.asking?.id == id ? state.asking?.task : nil
                }
                asking?.cancel()
            case .interrupted(let error, let pause):
                let text = String(describing: error)
                let seconds = Duration.seconds((pause.milliseconds + 999) / 1000)
                phone.output.warning(
                    "\(text)\(text.hasSuffix(".") ? "" : ".") Trying again in \(spellDuration(seconds)).")
            }
        }
    }

    private func handle(_ requests: AsyncStream<Guardian.Notification>) async throws {
        var answers = 0
        for await request in requests {
            // One request that fails must not end the watch: others are waiting.
            do {
                if try await handle(request) { answers += 1 }
            } catch let failure as CommandFailure {
                phone.output.error(failure.message, hint: failure.hint)
            }
            if answers == limit { return }
        }
    }

    /// True when an answer was given.
    private func handle(_ request: Guardian.Notification) async throws -> Bool {
        guard !isWithdrawn(request) else { return false }
        let consent = try await phone.consent(for: request)
        phone.show(request, consent)
        let decision: Bool?
        switch answer {
        case .allow: decision = true
        case .reject: decision = false
        case .ask: decision = await ask(request, until: consent?.expiresAt)
        }
        try Task.checkCancellation()
        guard let decision else {
            let isExpired = consent.map { $0.expiresAt <= now() } ?? false
            phone.report(request, isWithdrawn(request) ? "withdrawn" : isExpired ? "expired" : "unanswered")
            return false
        }
        try await phone.answer(request, allow: decision, reason: decision ? nil : reason)
        return true
    }

    private func isWithdrawn(_ request: Guardian.Notification) -> Bool {
        state.withLock { $0.withdrawn.contains(request.requestID) }
    }

    /// Nil when the request was withdrawn or ran out of time before there was an answer.
    private func ask(_ request: Guardian.Notification, until expiry: Date?) async -> Bool? {
        let output = phone.output
        let task = Task { await output.confirm("Allow?") }
        let isOver = state.withLock { state in
            state.asking = (request.requestID, task)
            return state.withdrawn.contains(request.requestID)
        }
        if isOver { task.cancel() }
        let remaining = expiry.map { $0.timeIntervalSince(now()) }
        let timer = Task {
            guard let remaining else { return }
            try? await Task.sleep(for: .milliseconds(Int64(max(0, min(remaining, 1e9)) * 1000)))
            if !Task.isCancelled { task.cancel() }
        }
        defer {
            timer.cancel()
            state.withLock { $0.asking = nil }
        }
        return await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
    }
}
