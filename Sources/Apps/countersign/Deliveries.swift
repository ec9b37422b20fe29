import AuthorizationCore
import CountersignServer
import Flows
import Primitives
import Terminal

extension Command {
    static var deliveries: Command {
        let request = Option<ConsentID?>.optional(
            "request", .consent, defaultText: "every request", "Request, cns_ and 22 characters.")
        let user = Option<String?>.optional(
            "user", short: "u", .string.placeholder("USER"), defaultText: "every user",
            "User, by id, verified e-mail address or phone number.")
        let limit = Option<Int>.defaulted("limit", .integer(1...10_000), to: 50, "Maximum number of deliveries.")
        return onDataFolder(
            "deliveries", "Show what became of notifications and mails, newest first.",
            discussion: """
                Without --request or --user, those that were given up, whose receiver is gone, or for which the tenant has \
                no credentials. They stay for 30 days, also after their request.
                """,
            options: [request, user, limit, jsonArray, Installation.tenantOption],
            examples: [
                "show failures": "countersign deliveries",
                "find out why a person was not asked": "countersign deliveries --user 'auth0|65f0'",
            ], reading: true
        ) { installation, invocation in
            let (id, name) = (try invocation[request], try invocation[user])
            guard id == nil || name == nil else {
                throw UsageError("--request and --user exclude each other", hint: "give one of them")
            }
            let tenant = try await installation.tenant(invocation)
            let filter: DeliveryFilter =
                if let id { .request(id) } else if let name {
                    .user(try await installation.user(name, in: tenant).id)
                } else { .failed }
            let found = try await installation.deliveries.deliveries(
                filter, of: tenant.id, before: nil, limit: try invocation[limit])
            try invocation.show(.array(found.map { .object($0.json) }), .of(found), asJSON: jsonArray)
            return 0
        }
    }
}

extension ValueKind where Value == ConsentID {
    fileprivate static var consent: ValueKind {
        ValueKind(placeholder: "ID", spell: { $0.rawValue }) { text throws(ValueProblem) in
            guard text.hasPrefix("cns_"), text.utf8.count == 26 else {
                throw ValueProblem("must be a request's id, cns_ and 22 characters")
            }
            return ConsentID(text)
        }
    }
}

extension Table {
    fileprivate static func of(_ deliveries: [DeliveryRecord]) -> Table {
        Table(
            ["CREATED", "QUEUE", "STATE", "TRIES", "TO", "REQUEST", "LAST ERROR"],
            rows: deliveries.map { delivery in
                [
                    Text(delivery.createdAt.iso8601), Text(delivery.queue.rawValue),
                    Text(delivery.state.rawValue, delivery.state.style), Text(String(delivery.attempts)),
                    Text(delivery.device?.rawValue ?? delivery.user?.rawValue ?? delivery.client?.rawValue ?? "-"),
                    Text(delivery.consent?.rawValue ?? "-"), Text(delivery.problem ?? "-"),
                ]
            })
    }
}

extension DeliveryRecord.State {
    fileprivate var style: Style {
        switch self {
        case .waiting, .skipped: .yellow
        case .sent: .green
        case .failed, .undeliverable: .red
        }
    }
}
