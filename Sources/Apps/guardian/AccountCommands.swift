import Foundation
import Guardian
import Localization
import PhoneScreen
import Primitives
import Terminal

func pendingCommand(_ connect: @escaping Connect) -> Command {
    Command(
        "pending", "List the requests that wait for your answer, those of one client together.",
        options: [Options.common],
        examples: [
            "list what waits": "guardian pending",
            "read it with a program": "guardian pending --json",
        ]
    ) { invocation in
        let phone = try await invocation.phone(connect)
        try await phone.explaining {
            let requests = try await phone.account.pending().start().map(\.notification)
            if phone.json {
                var cards: [JSONValue] = []
                for request in requests {
                    // The table shows one that cannot be read, too.
                    let consent = (try? await phone.consent(for: request)) ?? nil
                    cards.append(RequestCard(notification: request, consent: consent, now: nil).json)
                }
                phone.output.json(.array(cards))
            } else if requests.isEmpty {
                phone.output.note(Text(phone.texts.nothingWaits))
            } else {
                phone.output.table(await phone.table(of: requests))
            }
        }
        return 0
    }
}

func historyCommand(_ connect: @escaping Connect) -> Command {
    let limit = Option.defaulted("limit", .integer(1...50), to: 20, "Maximum number of requests.")
    let before = Option.optional("before", .string.placeholder("CURSOR"), "Show those before an earlier page.")
    return Command(
        "history", "List the requests that you answered, on any phone or in a browser.",
        discussion: "guardian receipt prints the proof of each.",
        options: [OptionGroup("Page", [limit, before]), Options.common],
        examples: [
            "show the last five answers": "guardian history --limit 5",
            "keep the proof of one": "guardian receipt cns_AZp… >receipt.jwt",
        ]
    ) { invocation in
        let phone = try await invocation.phone(connect)
        let page = try await phone.explaining {
            try await phone.account.history(before: try invocation[before], limit: try invocation[limit]).start()
        }
        if phone.json {
            var object: JSONObject = ["requests": .array(page.requests.map(\.json))]
            object["next"] = page.next.map(JSONValue.string)
            phone.output.json(.object(object))
            return 0
        }
        guard !page.requests.isEmpty else {
            phone.output.note(Text(phone.texts.nothingDecided))
            return 0
        }
        let rows = page.requests.map { request -> [Text] in
            let client = request.consent.client.map { "\($0.name) (\($0.clientId))" } ?? ""
            return [
                Text(request.decidedAt.utc), Text(phone.texts.outcome(request.isAllowed ? .allowed : .rejected)),
                Text(client), Text(request.consent.requestedDetails.bindingMessage ?? ""), Text(request.id),
            ]
        }
        phone.output.table(Table(["ANSWERED", "ANSWER", "CLIENT", "MESSAGE", "REQUEST"], rows: rows))
        if let next = page.next { phone.output.note("guardian history --before \(next)") }
        return 0
    }
}

func phonesCommand(_ connect: @escaping Connect) -> Command {
    Command(
        "phones", "List all phones of yours at the server, this one among them.", options: [Options.common],
        examples: ["list your phones": "guardian phones"]
    ) { invocation in
        let phone = try await invocation.phone(connect)
        let devices = try await phone.explaining { try await phone.account.devices().start() }
        if phone.json {
            phone.output.json(.array(devices.map(\.json)))
            return 0
        }
        let rows = devices.map { device in
            [
                device.id, device.name, device.pushService ?? "device channel", device.enrolledAt.utc,
                device.isCurrent ? phone.texts.thisPhone : "",
            ].map { Text($0) }
        }
        phone.output.table(Table(["ID", "NAME", "PUSH", "ENROLLED", ""], rows: rows))
        return 0
    }
}

func quietHoursCommand(_ connect: @escaping Connect) -> Command {
    let from = Option.optionalArgument("FROM", .string, "Beginning, such as 22:00.")
    let to = Option.optionalArgument("TO", .string, "End, such as 07:00, which may be on the next day.")
    let off = Option.flag("off", "End the quiet hours.")
    return Command(
        "quiet-hours", "Show or set the hours in which only urgent requests make a sound.",
        discussion: "They hold for all your phones, each in its own time zone. Without arguments, they are shown.",
        options: [
            OptionGroup("Hours", [from, to, off]), Options.common,
        ],
        examples: [
            "be quiet at night": "guardian quiet-hours 22:00 07:00",
            "make a sound at all hours": "guardian quiet-hours --off",
        ]
    ) { invocation in
        let (from, to, off) = (try invocation[from], try invocation[to], try invocation[off])
        let change: QuietHours??
        switch (from, to, off) {
        case (nil, nil, false): change = nil
        case (nil, nil, true): change = .some(nil)
        case (let from?, let to?, false):
            guard let hours = QuietHours(from: from, to: to) else {
                throw UsageError("FROM and TO must be two different times", hint: "guardian quiet-hours 22:00 07:00")
            }
            change = hours
        default: throw UsageError("give both FROM and TO, or --off alone")
        }
        let phone = try await invocation.phone(connect)
        let hours = try await phone.explaining {
            guard let change else { return try await phone.account.quietHours().start() }
            _ = try await phone.account.setQuietHours(change).start()
            return change
        }
        if phone.json {
            phone.output.json([
                "quiet_hours": hours.map { ["from": .string($0.fromText), "to": .string($0.toText)] } ?? .null
            ])
        } else {
            phone.output.line(
                Text(hours.map { phone.texts.quietHours($0.fromText, $0.toText) } ?? phone.texts.noQuietHours))
        }
        return 0
    }
}

extension Date {
    fileprivate var utc: String { Timestamp(seconds: Int64(timeIntervalSince1970.rounded(.down))).iso8601 }
}

extension DecidedRequest {
    fileprivate var json: JSONValue {
        var object: JSONObject = [
            "id": .string(id), "decided_at": .string(decidedAt.utc),
            "decision": .string(isAllowed ? "allowed" : "rejected"), "evidence": .string(evidence),
        ]
        object["reason"] = reason.map(JSONValue.string)
        object["record"] = consent.record.map(JSONValue.string)
        return .object(object)
    }
}

extension UserDevice {
    fileprivate var json: JSONValue {
        [
            "id": .string(id), "name": .string(name), "enrolled_at": .string(enrolledAt.utc),
            "push": pushService.map(JSONValue.string) ?? .null, "passkey": .bool(hasPasskey),
            "current": .bool(isCurrent),
        ]
    }
}
