import APIDescription
import AuthorizationCore
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

    var all: [ManagementRoute] {
        [
            ManagementRoute(
                .get, "/deliveries", "list_deliveries", "List deliveries of notifications and mails, newest first",
                in: RouteGroup("Deliveries", scopes: "logs"),
                details: """
                    Without a parameter, those that failed, whose receiver is gone, or for which the tenant has no \
                    credentials: these are kept for 30 days. With one of the first two, those of a request, or those of a \
                    user's requests and mails to the user, in every state. Others are kept as long as their request.
                    """, scopes: [["read:logs"], ["read:logs_users"]],
                parameters: [
                    Operation.Parameter("transaction_linking_id", in: .query, .text(26...26), "A request, `cns_…`"),
                    Operation.Parameter("user_id", in: .query, .text(1...1024), "A user"),
                ] + Paging.checkpointParameters,
                answer: Operation.Answer(
                    200, "The deliveries",
                    .object([.required("deliveries", .list(Self.delivery)), Member("next", .text())]),
                    example: ["deliveries": [Self.example]]), list)
        ]
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
