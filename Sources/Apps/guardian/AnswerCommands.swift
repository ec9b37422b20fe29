import Foundation
import Guardian
import Localization
import PhoneScreen
import Synchronization
import Terminal

func allowCommand(_ connect: @escaping Connect) -> Command {
    let number = Option.optional(
        "number", .matchingNumber, "The number that the application shows, if the request has numbers.")
    return answerCommand(
        "allow", "Allow a request that is waiting.", [number],
        examples: [
            "allow the only request": "guardian allow",
            "allow it with the number that the application shows": "guardian allow --number 42",
            "allow everything that one client asks": "guardian allow --client CLIENT_ID",
        ], connect
    ) { phone, consent, request, invocation in
        let numbers = consent?.matchingChoices ?? []
        let pick = try invocation[number]
        guard let consent, consent.asksNumber else { return .allow(pick: nil) }
        if let pick {
            // The server would reject the request for good.
            guard consent.asksTypedNumber || numbers.contains(pick) else {
                throw CommandFailure(
                    "\(request.label) has no number \(pick)",
                    hint: "it has \(numbers.map(\.description).joined(separator: ", ")); nothing was answered")
            }
            return .allow(pick: pick)
        }
        guard phone.output.input.isTerminal else { throw phone.needsNumber(numbers, request) }
        return await phone.output.choose(phone.language.choice(about: consent))
    }
}

func rejectCommand(_ connect: @escaping Connect) -> Command {
    let reason = Option.optional("reason", .string, "Reason for the rejection. The application receives it.")
    return answerCommand(
        "reject", "Reject a request that is waiting.", [reason], reason: reason,
        examples: ["reject with a reason": "guardian reject --reason 'The amount is wrong'"], connect
    ) { _, _, _, _ in
        .reject
    }
}

func reportCommand(_ connect: @escaping Connect) -> Command {
    answerCommand(
        "report", "Reject a request that you did not ask for, and tell the organization.", [],
        discussion: "The same application can then ask you again only after a pause.",
        examples: ["report a request": "guardian report cns_AZp…"], connect
    ) { _, _, _, _ in
        .report
    }
}

extension ValueKind where Value == MatchingNumber {
    fileprivate static var matchingNumber: ValueKind {
        ValueKind(placeholder: "NN", spell: \.description) { text throws(ValueProblem) in
            guard let number = MatchingNumber(text) else { throw ValueProblem("must have two digits, such as 07") }
            return number
        }
    }
}

/// Nil for a decision means that the person was asked and gave none.
private func answerCommand(
    _ name: String, _ summary: String, _ options: [any DeclaredOption], discussion: String = "",
    reason: Option<String?>? = nil, examples: Command.Examples, _ connect: @escaping Connect,
    decide:
        @escaping @Sendable (Phone, Consent?, Guardian.Notification, Invocation) async throws -> Decision?
) -> Command {
    let request = Option.optionalArgument(
        "REQUEST", .string, "Id of the request, as in watch. May be left out if only one is waiting.")
    let client = Option.optional(
        "client", .string.placeholder("CLIENT_ID"), "Answer all waiting requests of this client, each with its card.")
    let wait = Option.defaulted(
        "wait", .duration(.milliseconds(100) ... .seconds(86_400)), to: .seconds(5),
        "Maximum time to wait for the request.")
    let declarations = [request, client, wait] + options
    return Command(
        name, summary, discussion: discussion, options: [OptionGroup("Request", declarations), Options.common],
        examples: examples
    ) { invocation in
        let phone = try await invocation.phone(connect)
        let (id, client) = (try invocation[request], try invocation[client])
        guard id == nil || client == nil else { throw UsageError("REQUEST and --client exclude each other") }
        await phone.announceCapabilities(in: try invocation.store())
        let arrived = try await phone.waiting(id: id, atMost: try invocation[wait])
        if client == nil, arrived.count > 1 {
            phone.output.notes(await phone.table(of: arrived).lines)
            throw CommandFailure(
                "more than one request is waiting", hint: "name one: guardian \(name) \(arrived[0].label)")
        }
        var waiting: [(request: Guardian.Notification, consent: Consent?)] = []
        for request in arrived {
            let consent = try await phone.explaining { try await phone.consent(for: request) }
            if client == nil || consent?.client?.clientId == client { waiting.append((request, consent)) }
        }
        guard !waiting.isEmpty else {
            throw CommandFailure("no such request is waiting", hint: "guardian watch shows requests when they arrive")
        }
        let text: String? = if let reason { try invocation[reason] } else { nil }
        var failed = false
        for (request, consent) in waiting {
            do {
                phone.show(request, consent, now: Date())
                guard let decision = try await decide(phone, consent, request, invocation) else {
                    phone.noteOutcome(request, consent, .unanswered)
                    continue
                }
                try await phone.explaining {
                    try await phone.answer(request, consent, decision, reason: text)
                }
            } catch let failure as CommandFailure where waiting.count > 1 {
                // The others wait for their answers, too.
                phone.output.error("\(request.label): \(failure.message)", hint: failure.hint)
                failed = true
            }
        }
        return failed ? 1 : 0
    }
}

extension Phone {
    /// Requests with what tells them apart, those of one client together.
    func table(of requests: [Guardian.Notification]) async -> Table {
        var rows: [(client: String, row: [Text])] = []
        for request in requests {
            do {
                let consent = try await consent(for: request)
                let client = consent?.client.map { "\($0.name) (\($0.clientId))" } ?? request.domain
                let question = consent?.question(in: language) ?? ""
                let message = consent?.login == nil ? consent?.requestedDetails.bindingMessage ?? "" : ""
                rows.append((client, [request.label, client, question, message].map { Text($0) }))
            } catch {
                let problem = (explained(error, in: language) as? CommandFailure)?.message ?? String(describing: error)
                rows.append(("", [Text(request.label), "", "", "cannot be read: \(problem)"]))
            }
        }
        let clients = rows.map(\.client).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        return Table(
            ["REQUEST", "CLIENT", "FOR", "MESSAGE"],
            rows: clients.flatMap { client in rows.filter { $0.client == client }.map(\.row) })
    }

    /// The requests that are waiting: the one of that id as soon as it is there; otherwise all that come within half
    /// a second of the first, so that the wrong one is not answered.
    func waiting(id: String?, atMost limit: Duration) async throws -> [Guardian.Notification] {
        let collection = Collection(id: id)
        try await explaining {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await collection.fill(from: events()) }
                group.addTask { try await collection.wait(atMost: limit) }
                defer { group.cancelAll() }
                try await group.next()
            }
        }
        return collection.requests
    }
}

/// Requests as they arrive.
private final class Collection: Sendable {
    private let id: String?
    private let found = Mutex<[Guardian.Notification]>([])

    init(id: String?) { self.id = id }

    var requests: [Guardian.Notification] { found.withLock { $0 } }

    /// Returns when the request that was named is there.
    func fill(from events: AsyncThrowingStream<DeviceChannelEvent, any Error>) async throws {
        for try await event in events {
            switch event {
            case .notification(let notification, _):
                guard id == nil || notification.transactionLinkingId == id else { continue }
                found.withLock { found in
                    if !found.contains(where: { $0.requestID == notification.requestID }) { found.append(notification) }
                }
                if id != nil { return }
            case .withdrawal(let linkingId, _): found.withLock { $0.removeAll { $0.transactionLinkingId == linkingId } }
            case .interrupted(let error, _): throw error
            case .connected, .pending: break
            }
        }
    }

    /// Returns at the limit, or half a second after the first request.
    func wait(atMost limit: Duration) async throws {
        let clock = ContinuousClock()
        var deadline = clock.now + limit
        var hasSome = false
        while clock.now < deadline {
            try await Task.sleep(for: .milliseconds(50))
            if !hasSome, !requests.isEmpty {
                hasSome = true
                deadline = min(deadline, clock.now + .milliseconds(500))
            }
        }
    }
}
