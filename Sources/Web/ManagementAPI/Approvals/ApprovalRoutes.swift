import APIDescription
import ApprovalWire
import Administration
import AuthorizationCore
import Configuration
import Flows
import HTTPModel
import JSONSchema
import Primitives
import Routing

/// `/approvals`: requests for people's decisions, to be read. Auth0 has no such list.
struct ApprovalRoutes: Sendable {
    private static let group = RouteGroup("Approvals", scopes: "approvals")

    let requests: ReadRequests

    private static let party: [Member] = [
        .required("id", .text(), "The request, as in the log: cns_ and 22 characters"),
        .required("state", .choice(ShownRequest.State.allCases.map(\.rawValue))),
        .required("user_id", .text()), .required("client_id", .text()), .required("client_name", .text()),
        .required("audience", .text()), .required("audience_name", .text()), .required("binding_message", .text()),
        .required("created_at", .date), .required("expires_at", .date), Member("ended_at", .date),
        Member("channel", .text(), "Channel that notified the person, while the request is stored"),
        Member("application", .text(), "Application to which the person logs in, of a login's request"),
    ]

    private static let decision = Shape.object([
        .required("evidence", .choice(ApprovalEvidence.Level.allCases.map(\.rawValue))),
        .required("decided_at", .date), Member("reason", .text(), "The person's own words"),
        Member("device_id", .text()), Member("device_name", .text()),
    ])

    private static let receipt = Shape.object([
        .required("receipt", .text(), "The receipt, a JWS"),
        .required("is_valid", .boolean, "Every rule of receipts holds, and the audit log has the entry"),
        Member("problem", .text(), "The rule that it breaks"), Member("audit_entry", .text()),
        Member("audit_head", .text()),
    ])

    private static let summary = Shape.object(party)
    private static let whole = Shape.object(
        party + [
            .required("record", .text(), "The request as the person was shown it"),
            .required("request_digest", .text(), "SHA-256 of the record in base64url"), Member("decision", decision),
            Member("receipt", receipt),
        ])

    private static let example: JSONValue = [
        "id": "cns_abcdefghijklmnopqrstuv", "state": "pending", "user_id": "auth0|65f0", "client_id": "agent",
        "client_name": "Shopping agent", "audience": "https://pay.example.com/", "audience_name": "Payments",
        "binding_message": "Order 4711", "created_at": "2026-01-31T12:00:00.000Z",
        "expires_at": "2026-01-31T12:05:00.000Z", "channel": "guardian-push",
    ]

    var all: [ManagementRoute] {
        [
            ManagementRoute(
                .get, "/approvals", "list_approvals", "List requests, newest first", in: Self.group,
                details: """
                    Requests that are stored come first, by their start. Those that ended earlier follow by their end: \
                    decisions for as long as the tenant keeps them, and unanswered ones for 30 days at most. A page with \
                    a filter may have fewer requests than `take` although there is a `next`.
                    """,
                parameters: [
                    Operation.Parameter("user_id", in: .query, .text(1...1024), "Only requests to this user"),
                    Operation.Parameter("client_id", in: .query, .text(1...255), "Only requests of this client"),
                    Operation.Parameter(
                        "state", in: .query, .choice(ShownRequest.State.allCases.map(\.rawValue)),
                        "Only requests in this state"),
                ] + Paging.checkpointParameters,
                answer: Operation.Answer(
                    200, "The requests",
                    .object([.required("approvals", .list(Self.summary)), Member("next", .text())]),
                    example: ["approvals": [Self.example]]), list),
            ManagementRoute(
                .get, "/approvals/{id}", "get_approval", "Show a request with its decision and receipt",
                in: Self.group, answer: Operation.Answer(200, "The request", Self.whole), show),
        ]
    }

    @Sendable private func list(_ call: ManagementCall) async throws -> ManagementAnswer {
        func text(_ name: String) -> String? { call.query[name]?.stringValue }
        let filter = ReadRequests.Filter(
            user: text("user_id").map { UserID($0) }, client: text("client_id").map { ClientID($0) },
            state: text("state").flatMap(ShownRequest.State.init(rawValue:)))
        let (from, take) = call.checkpointPage
        let place = try from.map { text throws(ManagementFailure) in
            guard let place = Checkpoint.read(text).flatMap(RequestPlace.init(checkpoint:)) else {
                throw .invalidQuery("must be next of the previous answer", at: "from")
            }
            return place
        }
        let page = try await requests.page(filter, behind: place ?? .start, take: take, call.call.context)
        let next = page.next.flatMap(\.checkpoint).map(Checkpoint.write)
        return .list(Listing("approvals", page.requests.map(\.summary), call.checkpoint, next: next))
    }

    @Sendable private func show(_ call: ManagementCall) async throws -> ManagementAnswer {
        let consent = ConsentID(call.id())
        let found = try await requests.request(consent, call.call.context)
        guard let request = found else { throw AdministrationFailure.unknown(.approval) }
        var json = request.summary
        json["record"] = .string(request.record.text)
        json["request_digest"] = .string(requests.digest(of: request).description)
        guard let evidence = request.evidence else { return .value(.object(json)) }
        var decision: JSONObject = [
            "evidence": .string(evidence.level.rawValue), "decided_at": .string(evidence.decidedAt.iso8601),
        ]
        decision["reason"] = evidence.reason.map { .string($0) }
        decision["device_id"] = evidence.answer.map { .string($0.device.id) }
        decision["device_name"] = evidence.answer.map { .string($0.device.name) }
        json["decision"] = .object(decision)
        if let receipt = try await requests.receipt(consent, call.call.context) {
            var checked: JSONObject = ["receipt": .string(receipt.text)]
            switch receipt.result {
            case .success(let verified):
                checked["is_valid"] = true
                checked["audit_entry"] = .string(verified.claims.audit.entry)
                checked["audit_head"] = .string(verified.claims.audit.head)
            case .failure(let failure):
                checked["is_valid"] = false
                checked["problem"] = .string("\(failure)")
            }
            json["receipt"] = .object(checked)
        }
        return .value(.object(json))
    }
}

extension RequestPlace {
    fileprivate init?(checkpoint text: String) {
        guard let number = Int64(text.dropFirst()) else { return nil }
        switch text.first {
        case "r": self = .stored(number)
        case "e": self = .ended(number)
        default: return nil
        }
    }

    fileprivate var checkpoint: String? {
        switch self {
        case .start: nil
        case .stored(let number): "r\(number)"
        case .ended(let number): "e\(number)"
        }
    }
}

extension ShownRequest {
    fileprivate var summary: JSONObject {
        var json: JSONObject = [
            "id": .string(record.id), "state": .string(state.rawValue), "user_id": .string(record.user),
            "client_id": .string(record.client.id), "client_name": .string(record.client.name),
            "audience": .string(record.audience.id), "audience_name": .string(record.audience.name),
            "binding_message": .string(record.bindingMessage), "created_at": .string(record.createdAt.iso8601),
            "expires_at": .string(record.expiresAt.iso8601),
        ]
        json["ended_at"] = endedAt.map { .string($0.iso8601) }
        json["channel"] = channel.map { .string($0.rawValue) }
        json["application"] = record.display.login.map { .string($0.application) }
        return json
    }
}
