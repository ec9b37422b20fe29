import AuthorizationCore
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
        return onTenant(
            "deliveries", "Show what became of notifications and mails, newest first.",
            discussion: """
                Without --request or --user, those that were given up, whose receiver is gone, or for which the tenant has \
                no credentials. They stay for 30 days, also after their request.
                """,
            options: [request, user, limit, jsonArray],
            examples: [
                "show failures": "countersign deliveries",
                "find out why a person was not asked": "countersign deliveries --user 'auth0|65f0'",
            ], reading: true
        ) { target, invocation in
            let (id, name) = (try invocation[request], try invocation[user])
            guard id == nil || name == nil else {
                throw UsageError("--request and --user exclude each other", hint: "give one of them")
            }
            let filter: KeyValuePairs<String, String> =
                if let id { ["transaction_linking_id": id.rawValue] } else if let name {
                    ["user_id": try await target.user(name)["user_id"]?.stringValue ?? ""]
                } else { [:] }
            let found = try await target.parts(
                "/deliveries", key: "deliveries", query: filter, limit: try invocation[limit]
            ).objects
            try invocation.show(.array(found.map(JSONValue.object)), .of(found), asJSON: jsonArray)
            if found.isEmpty, id == nil, name == nil {
                invocation.output.note(
                    "none was given up; --user USER or --request ID also shows those that wait or were sent")
            }
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
    fileprivate static func of(_ deliveries: [JSONObject]) -> Table {
        Table(
            ["CREATED", "QUEUE", "STATE", "TRIES", "TO", "REQUEST", "LAST ERROR"],
            rows: deliveries.map { delivery in
                func text(_ name: String) -> String? { delivery[name]?.stringValue }
                let state = text("state") ?? ""
                return [
                    Text(text("created_at") ?? ""), Text(text("queue") ?? ""),
                    Text(state, DeliveryRecord.State(rawValue: state)?.style),
                    Text(String(delivery["attempts"]?.intValue ?? 0)),
                    Text(text("device_id") ?? text("user_id") ?? text("client_id") ?? "-"),
                    Text(text("transaction_linking_id") ?? "-"), Text(text("last_error") ?? "-"),
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
