import Foundation
import Guardian
import Synchronization
import Terminal

func allowCommand(_ connect: @escaping Connect) -> Command {
    answerCommand("allow", "Allow a request that is waiting.", reason: nil, connect)
}

func rejectCommand(_ connect: @escaping Connect) -> Command {
    let reason = Option.optional("reason", .string, "Reason for the rejection. The application receives it.")
    return answerCommand("reject", "Reject a request that is waiting.", reason: reason, connect)
}

private func answerCommand(
    _ name: String, _ summary: String, reason: Option<String?>?, _ connect: @escaping Connect
) -> Command {
    let request = Option.optionalArgument(
        "REQUEST", .string, "Id of the request, as in watch. May be left out if only one is waiting.")
    let wait = Option.defaulted(
        "wait", .duration(.milliseconds(100) ... .seconds(86_400)), to: .seconds(5),
        "Maximum time to wait for the request.")
    let declarations = [request.declaration, wait.declaration] + (reason.map { [$0.declaration] } ?? [])
    return Command(name, summary, options: [OptionGroup("Request", declarations), Options.common]) { invocation in
        let phone = try await invocation.phone(connect)
        let waiting = try await phone.waiting(id: try invocation[request], atMost: try invocation[wait])
        guard let notification = waiting.first else {
            throw CommandFailure("no such request is waiting", hint: "guardian watch shows requests when they arrive")
        }
        guard waiting.count == 1 else {
            phone.output.notes(await phone.table(of: waiting).lines)
            throw CommandFailure(
                "more than one request is waiting", hint: "name one: guardian \(name) \(notification.label)")
        }
        let text: String? = if let reason { try invocation[reason] } else { nil }
        try await explaining {
            let consent = try await phone.consent(for: notification)
            phone.show(notification, consent, now: Date())
            try await phone.answer(notification, consent, allow: name == "allow", reason: text)
        }
        return 0
    }
}

extension Phone {
    /// Requests with what tells them apart.
    fileprivate func table(of requests: [Guardian.Notification]) async -> Table {
        var rows: [[Text]] = []
        for request in requests {
            do {
                let consent = try await consent(for: request)
                let client = consent?.client.map { "\($0.name) (\($0.clientId))" } ?? request.domain
                let message = consent?.requestedDetails.bindingMessage ?? ""
                rows.append([request.label, client, message].map { Text($0) })
            } catch {
                rows.append([Text(request.label), "", "cannot be read: \(String(describing: error))"])
            }
        }
        return Table(["REQUEST", "CLIENT", "MESSAGE"].map { Table.Column(Text($0)) }, rows: rows)
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
