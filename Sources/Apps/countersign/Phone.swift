import Primitives

/// A user's enrolled phone, of the Management API's document, and how requests reach it.
struct Phone: Sendable {
    let document: JSONObject

    private func text(_ name: String) -> String? { document[name]?.stringValue }

    var id: String { text("id") ?? "" }
    var name: String { text("name") ?? "" }
    var enrolledAt: String { text("enrolled_at") ?? "" }

    /// True if nothing is sent, or a push service refused the phone, and it has not registered again.
    var isCutOff: Bool { text("push_ended_at") != nil || text("key_lost_at") != nil }

    var service: String { text("push_service") ?? text("push_ended_service") ?? "device channel" }

    var state: String {
        if let lost = text("key_lost_at") { return "lost its key on \(lost); nothing is sent to it" }
        guard let refusal = text("push_ended_at") else {
            return text("push_service") == nil ? "reached while its app is open" : "reached"
        }
        return "push refused on \(refusal): \(text("push_ended_reason") ?? "")"
    }

    var json: JSONValue {
        func value(_ name: String) -> JSONValue { document[name] ?? .null }
        return [
            "id": value("id"), "name": value("name"), "identifier": value("identifier"),
            "push_service": value("push_service"), "push_refused_at": value("push_ended_at"),
            "push_refused_reason": value("push_ended_reason"), "key_lost_at": value("key_lost_at"),
            "enrolled_at": value("enrolled_at"),
        ]
    }

    /// A line for people.
    var summary: String { "\(name) (\(id)), \(service): \(state)" }
}

extension ManagedTenant {
    func phones(of user: String) async throws -> [Phone] {
        try await all("/users/{id}/enrollments", user).map { Phone(document: $0) }
    }
}
