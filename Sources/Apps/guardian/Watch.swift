import ApprovalWire
import Foundation
import Guardian
import Localization
import PhoneScreen
import Primitives
import Synchronization
import Terminal

/// Takes requests one after the other, and those of one client together. A request that needs no answer any more is let
/// go, even while it is asked about.
final class Watch: Sendable {
    /// Requests that are asked about together, at most.
    static let groupLimit = 20

    let phone: Phone
    private let answer: Answer
    private let reason: String?
    private let limit: Int?
    let now: @Sendable () -> Date
    private let sleep: @Sendable (Duration) async throws -> Void
    let second: @Sendable () async throws -> Void
    private let timeZone: TimeZone

    /// A request, and how far its answer got.
    struct OpenRequest: Sendable {
        let notification: Guardian.Notification
        var isShown = false
        /// True if the person chose to be asked about it alone.
        var isAlone = false
        var consent: Consent?
        var decision: Decision?
        /// Tries that the network failed.
        var failures = 0

        /// 1, 2, 4, then 8 seconds.
        var pause: Duration { .seconds(1 << min(failures, 3)) }

        func isExpired(at now: Date) -> Bool { consent.map { $0.expiresAt <= now } ?? false }

        /// Takes the answer of a question about several requests. Nil means that nobody answered; a nil decision asks
        /// about each by itself, with its own card.
        mutating func take(_ answer: Decision??) {
            decision = answer.flatMap(\.self)
            isAlone = answer == .some(nil)
            isShown = !isAlone
        }
    }

    struct State {
        var seen: Set<String> = []
        /// Requests that the server says are waiting.
        var announced: Set<String> = []
        /// Requests seen that may still wait for an answer.
        var waiting: Set<String> = []
        var withdrawn: Set<String> = []
        /// Those that are behind the one being asked about, in their order.
        var behind: [Guardian.Notification] = []
        /// Those that were read or decided together with an earlier one.
        var prepared: [String: OpenRequest] = [:]
        /// Ids of the requests being asked about that still wait, and the end of their question.
        var asking: (ids: Set<String>, cancel: @Sendable () -> Void)?
    }

    let state = Mutex(State())

    init(
        phone: Phone, answer: Answer, reason: String? = nil, limit: Int? = nil,
        now: @escaping @Sendable () -> Date = { Date() },
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        second: @escaping @Sendable () async throws -> Void = { try await Task.sleep(for: .seconds(1)) },
        timeZone: TimeZone = .current
    ) {
        self.phone = phone
        self.answer = answer
        self.reason = reason
        self.limit = limit
        self.now = now
        self.sleep = sleep
        self.second = second
        self.timeZone = timeZone
    }

    func run() async throws {
        let (requests, queue) = AsyncStream<OpenRequest>.makeStream()
        let (arrivals, bell) = AsyncStream<Bool>.makeStream()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.phone.explaining { try await self.listen(queue, bell) } }
            group.addTask { try await self.handle(requests, queue) }
            group.addTask { await self.ring(arrivals) }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    // MARK: arrivals

    private func listen(
        _ queue: AsyncStream<OpenRequest>.Continuation, _ bell: AsyncStream<Bool>.Continuation
    ) async throws {
        for try await event in phone.events() {
            switch event {
            case .connected: phone.output.note(Text(phone.texts.listening(phone.domain, phone.device.userId)))
            case .notification(let notification, _):
                let isNew = state.withLock { state in
                    if let id = notification.transactionLinkingId { state.waiting.insert(id) }
                    // Requests come again after a reconnection.
                    let isNew = state.seen.insert(notification.requestID).inserted
                    if isNew { state.behind.append(notification) }
                    return isNew
                }
                if isNew {
                    bell.yield(notification.isUrgent)
                    queue.yield(OpenRequest(notification: notification))
                }
            case .withdrawal(let id, _): withdraw { _ in [id] }
            case .pending(let ids):
                state.withLock { $0.announced = ids }
                withdraw { $0.subtracting(ids) }
            case .interrupted(let error, let pause):
                let seconds = Duration.seconds((pause.milliseconds + 999) / 1000)
                warn(String(describing: error), nextTryIn: seconds)
            }
        }
    }

    /// Lets go of some of the requests that wait. A question ends when none of its requests waits any more.
    private func withdraw(_ choose: (_ waiting: Set<String>) -> Set<String>) {
        let cancel = state.withLock { state in
            let over = choose(state.waiting)
            state.waiting.subtract(over)
            state.announced.subtract(over)
            state.behind.removeAll { over.contains($0.requestID) }
            state.withdrawn.formUnion(over)
            state.asking?.ids.subtract(over)
            return state.asking.flatMap { $0.ids.isEmpty ? $0.cancel : nil }
        }
        cancel?()
    }

    /// Rings for each arrival that may make a sound. The hours are asked for each time, since other devices change them.
    /// A server without quiet hours answers with an error.
    private func ring(_ arrivals: AsyncStream<Bool>) async {
        for await isUrgent in arrivals where answer == .ask && phone.output.diagnostics.isTerminal {
            let hours = isUrgent ? nil : (try? await phone.account.quietHours().start()) ?? nil
            if hours?.contains(now(), in: timeZone) != true { phone.output.bell() }
        }
    }

    private func warn(_ text: String, nextTryIn pause: Duration) {
        phone.output.warning("\(text)\(text.hasSuffix(".") ? "" : ".") \(phone.texts.again(spellDuration(pause)))")
    }

    // MARK: one after the other

    private func handle(
        _ requests: AsyncStream<OpenRequest>, _ queue: AsyncStream<OpenRequest>.Continuation
    ) async throws {
        var answers = 0
        try await withThrowingDiscardingTaskGroup { group in
            defer { group.cancelAll() }
            for await var request in requests {
                // One request that fails must not end the watch: others are waiting.
                do {
                    if try await handle(&request, room: limit.map { $0 - answers - 1 }) { answers += 1 }
                } catch {
                    guard mayPass(error) else {
                        guard let failure = explained(error, in: phone.language) as? CommandFailure else { throw error }
                        phone.output.error(failure.message, hint: failure.hint)
                        continue
                    }
                    let id = request.notification.label
                    let problem = request.decision == nil ? phone.texts.unreadable(id) : phone.texts.unsent(id)
                    warn("\(problem): \(error)", nextTryIn: request.pause)
                    var again = request
                    again.failures += 1
                    state.withLock { [again] state in
                        guard !state.withdrawn.contains(again.notification.requestID) else { return }
                        state.behind.append(again.notification)
                        state.prepared[again.notification.requestID] = again
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

    /// True when an answer was given. `room` is the number of further answers before the watch ends.
    private func handle(_ request: inout OpenRequest, room: Int?) async throws -> Bool {
        let turn = request.notification.requestID
        let prepared = state.withLock { state in
            state.behind.removeAll { $0.requestID == turn }
            return state.prepared.removeValue(forKey: turn)
        }
        if let prepared { request = prepared }
        try await giveTurnToNewestLogin(&request)
        let notification = request.notification
        guard !isWithdrawn(notification) else {
            if request.isShown || request.isAlone { phone.noteOutcome(notification, request.consent, .withdrawn) }
            return false
        }
        if request.consent == nil, !request.isShown { request.consent = try await phone.consent(for: notification) }
        if answer == .ask, request.decision == nil, !request.isAlone, !request.isShown {
            try await decideTogether(with: &request, atMost: room)
        }
        if !request.isShown {
            request.isShown = true
            // If there is a question, the line above it has the time that is left.
            phone.show(notification, request.consent, now: answer == .ask ? nil : now())
        }
        if request.decision == nil { request.decision = await decide(request) }
        try Task.checkCancellation()
        // The person may have answered after the end of one of several, or at the moment of the end.
        guard let decision = request.decision, !isOver(request) else {
            phone.noteOutcome(
                notification, request.consent,
                isWithdrawn(notification) ? .withdrawn : request.isExpired(at: now()) ? .expired : .unanswered)
            return false
        }
        try await phone.answer(notification, request.consent, decision, reason: decision == .reject ? reason : nil)
        return true
    }

    /// The newest login that waits is asked about before older ones: the person looks at its screen. It changes places with
    /// `request`, whose turn is then that of the newest.
    private func giveTurnToNewestLogin(_ request: inout OpenRequest) async throws {
        guard answer == .ask, request.decision == nil, !request.isShown, !isWithdrawn(request.notification) else {
            return
        }
        if request.consent == nil { request.consent = try await phone.consent(for: request.notification) }
        guard let date = request.consent?.login?.date else { return }
        try await gather()
        var newest = (request: request, date: date)
        for notification in state.withLock({ $0.behind }).prefix(Self.groupLimit * 2) {
            let id = notification.requestID
            let prepared = state.withLock { $0.prepared[id] }
            guard prepared.map({ $0.notification.requestID == id && !$0.isShown && $0.decision == nil }) ?? true
            else { continue }
            var other = prepared ?? OpenRequest(notification: notification)
            if other.consent == nil { other.consent = (try? await phone.consent(for: notification)) ?? nil }
            state.withLock { [other] in $0.prepared[id] = other }
            if let date = other.consent?.login?.date, date > newest.date, !isWithdrawn(notification) {
                newest = (other, date)
            }
        }
        let (older, turn) = (request, newest.request.notification.requestID)
        guard turn != older.notification.requestID else { return }
        state.withLock { state in
            state.behind.removeAll { $0.requestID == turn }
            state.behind.append(older.notification)
            state.prepared[turn] = older
        }
        request = newest.request
    }

    /// Nil means that there is no answer.
    private func decide(_ request: OpenRequest) async -> Decision? {
        let consent = request.consent
        switch answer {
        case _ where isOver(request): return nil
        case .allow:
            guard let consent, consent.asksNumber else { return .allow(pick: nil) }
            let failure = phone.needsNumber(consent.matchingChoices, request.notification)
            phone.output.error(failure.message, hint: failure.hint)
            return nil
        case .reject: return .reject
        case .ask: return await ask(phone.language.choice(about: consent), about: [request])
        }
    }

    /// True if an answer would come too late. The first answer without the person is sent even if this phone's clock
    /// says so, because the clock may be wrong.
    private func isOver(_ request: OpenRequest) -> Bool {
        let mayExpire = answer == .ask || request.failures > 0
        return isWithdrawn(request.notification) || mayExpire && request.isExpired(at: now())
    }

    /// Asks about the request and those of the same client that are behind it, with the sum of their money.
    private func decideTogether(with request: inout OpenRequest, atMost room: Int?) async throws {
        guard let consent = request.consent, let client = consent.client?.clientId, mayBeTogether(consent) else {
            return
        }
        try await gather()
        let others = await read(of: client, atMost: min(room ?? .max, Self.groupLimit - 1))
        guard !others.isEmpty, !isWithdrawn(request.notification) else { return }
        let group = [request] + others
        for one in group { phone.show(one.notification, one.consent, now: now()) }
        phone.output.note(Text(phone.texts.together(request.consent?.client?.name ?? client, group.count), .bold))
        let language = phone.language
        let together = RequestPresentation(
            joining: group.compactMap { $0.consent?.presentation(in: language.rawValue) })
        let answer = await ask(language.choiceForAll(about: together.action(in: language)), about: group)
        request.take(answer)
        for var other in others {
            other.take(answer)
            state.withLock { $0.prepared[other.notification.requestID] = other }
        }
    }

    /// True unless the request has a number or screen of its own, or money that its API does not let people allow with
    /// others at once.
    private func mayBeTogether(_ consent: Consent) -> Bool {
        !consent.isDecidedAlone && consent.presentation(in: phone.language.rawValue).isGroupable
    }

    /// Waits until the requests that the server announced are here, at most half a second.
    private func gather() async throws {
        for _ in 0..<10 {
            guard state.withLock({ !$0.announced.isSubset(of: $0.seen) }) else { return }
            try await sleep(.milliseconds(50))
        }
    }

    /// Requests of the client that are behind. A request that cannot be read now is read in its turn.
    private func read(of client: String, atMost room: Int) async -> [OpenRequest] {
        var group: [OpenRequest] = []
        for notification in state.withLock({ $0.behind }).prefix(Self.groupLimit * 2) where group.count < room {
            let prepared = state.withLock { $0.prepared[notification.requestID] }
            guard prepared?.decision == nil, prepared?.isAlone != true, prepared?.isShown != true else { continue }
            var request = prepared ?? OpenRequest(notification: notification)
            if request.consent == nil { request.consent = (try? await phone.consent(for: notification)) ?? nil }
            state.withLock { $0.prepared[notification.requestID] = request }
            guard let consent = request.consent, consent.client?.clientId == client, mayBeTogether(consent),
                consent.expiresAt > now(), !isWithdrawn(notification)
            else { continue }
            group.append(request)
        }
        return group
    }

    func isWithdrawn(_ request: Guardian.Notification) -> Bool {
        state.withLock { $0.withdrawn.contains(request.requestID) }
    }
}
