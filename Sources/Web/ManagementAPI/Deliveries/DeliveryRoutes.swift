import APIDescription
import Administration
import Audit
import AuthorizationCore
import Configuration
import Flows
import HTTPModel
import JSONSchema
import Primitives

/// `/deliveries`: what became of notifications and mails. Auth0 has no such list.
struct DeliveryRoutes: Sendable {
    let deliveries: any DeliveryLog

    private static let delivery = Shape.object([
        .required("id", .text()), .required("queue", .choice(DeliveryQueue.allCases.map(\.rawValue))),
        .required("state", .choice(DeliveryRecord.State.allCases.map(\.rawValue))),
        .required("attempts", .integer()), Member("last_error", .text(), "Reason of the last failure"),
        .required("created_at", .date), .required("expires_at", .date),
        Member("next_attempt_at", .date, "If the delivery waits"), Member("ended_at", .date, "If it does not wait"),
        Member("device_id", .text()), Member("user_id", .text()), Member("client_id", .text()),
        Member("transaction_linking_id", .text(), "The request, as in the log"),
    ])

    private static let example: JSONValue = [
        "id": "4711", "queue": "apns", "state": "waiting", "attempts": 2, "last_error": "APNs answered 503",
        "created_at": "2026-01-31T12:00:00.000Z", "expires_at": "2026-01-31T12:05:00.000Z",
        "next_attempt_at": "2026-01-31T12:00:07.000Z", "device_id": "dev_5Zk2", "user_id": "auth0|65f0",
        "client_id": "agent", "transaction_linking_id": "cns_abcdefghijklmnopqrstuv",
    ]

    private static let group = RouteGroup("Deliveries", scopes: "deliveries")
    private static let reading = [["read:logs"], ["read:logs_users"]]

    var all: [ManagementRoute] {
        [
            ManagementRoute(
                .get, "/deliveries", "list_deliveries", "List deliveries of notifications and mails, newest first",
                in: Self.group,
                details: """
                    Without a parameter, those that failed, whose receiver is gone, or for which the tenant has no \
                    credentials: these are kept for 30 days. With one of the first two, those of a request, or those of a \
                    user's requests and mails to the user, in every state. Others are kept as long as their request.
                    """, scopes: Self.reading,
                parameters: [
                    Operation.Parameter("transaction_linking_id", in: .query, .text(26...26), "A request, `cns_…`"),
                    Operation.Parameter("user_id", in: .query, .text(1...1024), "A user"),
                ] + Paging.checkpointParameters,
                answer: Operation.Answer(
                    200, "The deliveries",
                    .object([.required("deliveries", .list(Self.delivery)), Member("next", .text())]),
                    example: ["deliveries": [Self.example]]), list),
            ManagementRoute(
                .get, "/deliveries/{id}", "get_delivery", "Show a delivery", in: Self.group, scopes: Self.reading,
                answer: Operation.Answer(200, "The delivery", Self.delivery, example: Self.example)
            ) { call in .object(try await delivery(call).json) },
            ManagementRoute(
                .post, "/deliveries/{id}/retry", "retry_delivery", "Try a delivery once more that failed",
                in: Self.group,
                details: """
                    The delivery is tried at once, and again with growing pauses if its tries are not used up. If its \
                    request is over, nothing is sent. A mail without a request is gone with its text.
                    """, scopes: [["update:deliveries"]],
                answer: Operation.Answer(204, "The delivery waits for its try"),
                refusals: [(409, "The delivery waits, was sent, has expired, or its text is gone")], retry),
        ]
    }

    private func delivery(_ call: ManagementCall) async throws -> DeliveryRecord {
        guard let id = Int64(call.id()) else { throw AdministrationFailure.unknown(.delivery) }
        let found = try await deliveries.deliveries(.one(id), of: call.tenant, before: nil, limit: 1).first
        guard let found else { throw AdministrationFailure.unknown(.delivery) }
        return found
    }

    @Sendable private func retry(_ call: ManagementCall) async throws {
        let record = try await delivery(call)
        let event = call.context.event(
            .changed, of: AuditEvent.Object("delivery", String(record.id)), changed: ["state"], user: record.user,
            details: [:])
        guard try await deliveries.retry(record.id, of: call.tenant, event: event) else {
            throw ManagementFailure(409, "The delivery waits, was sent, has expired, or its text is gone")
        }
    }

    @Sendable private func list(_ call: ManagementCall) async throws -> ManagementAnswer {
        let filter: DeliveryFilter
        switch (call.query["transaction_linking_id"]?.stringValue, call.query["user_id"]?.stringValue) {
        case (let id?, nil): filter = .request(ConsentID(id))
        case (nil, let user?): filter = .user(UserID(user))
        case (nil, nil): filter = .failed
        case (_?, _?):
            throw ManagementFailure.invalidQuery("must not come with transaction_linking_id", at: "user_id")
        }
        let (from, take) = call.checkpointPage
        let before = try from.map { text throws(ManagementFailure) in
            guard let id = Checkpoint.read(text).flatMap({ Int64($0) }) else {
                throw .invalidQuery("must be next of the previous answer", at: "from")
            }
            return id
        }
        let found = try await deliveries.deliveries(filter, of: call.tenant, before: before, limit: take)
        let next = found.count == take ? found.last.map { Checkpoint.write(String($0.id)) } : nil
        return .list(Listing("deliveries", found.map(\.json), call.checkpoint, next: next))
    }
}
