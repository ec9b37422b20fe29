import Foundation
import Guardian
import Localization
import PhoneScreen
import Primitives
import Synchronization
import Terminal

enum Answer: String, CaseIterable, Sendable { case ask, allow, reject }

func watchCommand(_ connect: @escaping Connect) -> Command {
    let answer = Option.defaulted(
        "answer", .choice(of: Answer.self), to: .ask, "Ask about each request, or answer all of them the same way.")
    let reason = Option.optional("reason", .string, "Reason for rejections. The application receives it.")
    let count = Option.optional("count", .integer(1...1_000_000), "Stop after this many answers.")
    return Command(
        "watch", "Show each request when it arrives, and answer it.",
        discussion: "Runs until it is stopped with Ctrl-C. Earlier requests that still wait are shown first.",
        options: [OptionGroup("Answers", [answer.declaration, reason.declaration, count.declaration]), Options.common]
    ) { invocation in
        let answer = try invocation[answer]
        guard answer != .ask || invocation.output.input.isTerminal else {
            throw UsageError(
                "there is no terminal to ask on", hint: "--answer allow or --answer reject answers without asking")
        }
        let watch = Watch(
            phone: try await invocation.phone(connect), answer: answer, reason: try invocation[reason],
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
    private let sleep: @Sendable (Duration) async throws -> Void
    private let second: @Sendable () async throws -> Void

    /// A request, and how far its answer got.
    private struct OpenRequest: Sendable {
        let notification: Guardian.Notification
        var isShown = false
        var consent: Consent?
        var decision: Bool?
        /// Tries that the network failed.
        var failures = 0

        /// 1, 2, 4, then 8 seconds.
        var pause: Duration { .seconds(1 << min(failures, 3)) }
    }

    private struct State {
        var seen: Set<String> = []
        /// Requests seen that may still wait for an answer.
        var waiting: Set<String> = []
        var withdrawn: Set<String> = []
        /// Those that are behind the one being asked about.
        var behind: Set<String> = []
        /// The request being asked about, and the task that asks.
        var asking: (id: String, task: Task<Bool?, Never>)?
    }

    private let state = Mutex(State())

    init(
        phone: Phone, answer: Answer, reason: String? = nil, limit: Int? = nil,
        now: @escaping @Sendable () -> Date = { Date() },
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        second: @escaping @Sendable () async throws -> Void = { try await Task.sleep(for: .seconds(1)) }
    ) {
        self.phone = phone
        self.answer = answer
        self.reason = reason
        self.limit = limit
        self.now = now
        self.sleep = sleep
        self.second = second
    }

    func run() async throws {
        let (requests, queue) = AsyncStream<OpenRequest>.makeStream()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await explaining { try await self.listen(queue) } }
            group.addTask { try await self.handle(requests, queue) }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    private func listen(_ queue: AsyncStream<OpenRequest>.Continuation) async throws {
        for try await event in phone.events() {
            switch event {
            case .connected: phone.output.note(Text(phone.texts.listening(phone.domain, phone.device.userId)))
            case .notification(let notification, _):
                let isNew = state.withLock { state in
                    if let id = notification.transactionLinkingId { state.waiting.insert(id) }
                    // Requests come again after a reconnection.
                    let isNew = state.seen.insert(notification.requestID).inserted
                    if isNew { state.behind.insert(notification.requestID) }
                    return isNew
                }
                if isNew { queue.yield(OpenRequest(notification: notification)) }
            case .withdrawal(let id, _): withdraw { _ in [id] }
            case .pending(let ids): withdraw { $0.subtracting(ids) }
            case .interrupted(let error, let pause):
                let seconds = Duration.seconds((pause.milliseconds + 999) / 1000)
                warn(String(describing: error), nextTryIn: seconds)
            }
        }
    }

    /// Lets go of some of the requests that wait.
    private func withdraw(_ which: (_ waiting: Set<String>) -> Set<String>) {
        let asking = state.withLock { state in
            let over = which(state.waiting)
            state.waiting.subtract(over)
            state.behind.subtract(over)
            state.withdrawn.formUnion(over)
            return state.asking.flatMap { over.contains($0.id) ? $0.task : nil }
        }
        asking?.cancel()
    }

    private func warn(_ text: String, nextTryIn pause: Duration) {
        phone.output.warning("\(text)\(text.hasSuffix(".") ? "" : ".") \(phone.texts.again(spellDuration(pause)))")
    }

    private func handle(
        _ requests: AsyncStream<OpenRequest>, _ queue: AsyncStream<OpenRequest>.Continuation
    ) async throws {
        var answers = 0
        try await withThrowingDiscardingTaskGroup { group in
            defer { group.cancelAll() }
            for await var request in requests {
                // One request that fails must not end the watch: others are waiting.
                do {
                    if try await handle(&request) { answers += 1 }
                } catch {
                    guard mayPass(error) else {
                        guard let failure = explained(error) as? CommandFailure else { throw error }
                        phone.output.error(failure.message, hint: failure.hint)
                        continue
                    }
                    let id = request.notification.label
                    let what = request.decision == nil ? phone.texts.unreadable(id) : phone.texts.unsent(id)
                    warn("\(what): \(error)", nextTryIn: request.pause)
                    var again = request
                    again.failures += 1
                    if !isWithdrawn(request.notification) {
                        state.withLock { _ = $0.behind.insert(request.notification.requestID) }
                    }
                    // The channel may not bring it again: it has told of it.
                    group.addTask { [again, pause = request.pause, sleep] in
                        if (try? await sleep(pause)) != nil { queue.yield(again) }
                    }
                }
                if answers == limit { return }
            }
        }
    }

    /// True when an answer was given.
    private func handle(_ request: inout OpenRequest) async throws -> Bool {
        let notification = request.notification
        state.withLock { _ = $0.behind.remove(notification.requestID) }
        guard !isWithdrawn(notification) else {
            if request.isShown { phone.report(notification, .withdrawn) }
            return false
        }
        if !request.isShown {
            request.consent = try await phone.consent(for: notification)
            request.isShown = true
            // If there is a question, the line above it has the time that is left.
            phone.show(notification, request.consent, now: answer == .ask ? nil : now())
        }
        let isExpired = { [now, consent = request.consent] in consent.map { $0.expiresAt <= now() } ?? false }
        if request.failures > 0, isExpired() {
            phone.report(notification, .expired)
            return false
        }
        if request.decision == nil { request.decision = await decide(notification, until: request.consent?.expiresAt) }
        try Task.checkCancellation()
        guard let decision = request.decision else {
            phone.report(notification, isWithdrawn(notification) ? .withdrawn : isExpired() ? .expired : .unanswered)
            return false
        }
        try await phone.answer(notification, request.consent, allow: decision, reason: decision ? nil : reason)
        return true
    }

    private func decide(_ request: Guardian.Notification, until expiry: Date?) async -> Bool? {
        switch answer {
        case .allow: true
        case .reject: false
        case .ask: await ask(request, until: expiry)
        }
    }

    /// How much time is left, and how many more requests wait.
    private func status(until expiry: Date?) -> LiveLine {
        LiveLine(
            { [self] in
                let seconds = expiry.map { max(0, Int64($0.timeIntervalSince(now()).rounded(.down))) }
                let more = state.withLock { $0.behind.count }
                return Text(phone.texts.status(seconds.map { spellDuration(.seconds($0)) }, more), .yellow)
            }, pause: second)
    }

    private func isWithdrawn(_ request: Guardian.Notification) -> Bool {
        state.withLock { $0.withdrawn.contains(request.requestID) }
    }

    /// Nil when the request was withdrawn or ran out of time before there was an answer.
    private func ask(_ request: Guardian.Notification, until expiry: Date?) async -> Bool? {
        let output = phone.output
        let (question, status) = (phone.texts.prompt, status(until: expiry))
        let task = Task { await output.confirm(question, status: status) }
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
