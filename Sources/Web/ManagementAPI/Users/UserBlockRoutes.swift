import APIDescription
import Administration
import AuthorizationCore
import HTTPModel
import JSONSchema
import Primitives

/// `/user-blocks`: blocks by brute-force protection.
struct UserBlockRoutes: Sendable {
    private static let group = RouteGroup("User blocks", scopes: "users")

    private static let shape = Shape.object([
        .required(
            "blocked_for",
            .list(
                .object([
                    .required("identifier", .text(), "E-mail address, username or phone number of the account"),
                    Member("ip", .text(), "Omitted if the account is blocked from every address"),
                    .required("connection", .text(), "The name of the account's connection"),
                    .required(
                        "factor", .choice(["password", "otp", "number", "report"]),
                        "Failed factor: passwords, one-time passwords, numbers on the phone, or reported logins"),
                ])))
    ])

    private static let example: JSONValue = [
        "blocked_for": [
            [
                "identifier": "ann@example.com", "ip": "203.0.113.7",
                "connection": .string(LoginConnection.defaultDatabaseName), "factor": "password",
            ]
        ]
    ]

    private static let identifier = Operation.Parameter(
        "identifier", in: .query, .text(1...320), "An e-mail address, a username or a phone number", isRequired: true)

    private static let enforcement = Operation.Parameter(
        "consider_brute_force_enablement", in: .query, .boolean,
        "Accepted without effect: protection is always on, so only active blocks are listed")

    let blocks: ManageUserBlocks

    var all: [ManagementRoute] {
        let shown = Operation.Answer(200, "The active blocks", Self.shape, example: Self.example)
        let lifted = Operation.Answer(204, "Nothing is blocked any more")
        let administrators = "A user whom an administrator blocked stays blocked."
        return [
            ManagementRoute(
                .get, "/user-blocks", "list_user_blocks_by_identifier",
                "List the addresses from which an identifier is blocked after failed attempts", in: Self.group,
                details: "Addresses without an account are counted and blocked like others, so the response does not "
                    + "reveal which accounts exist.", parameters: [Self.identifier, Self.enforcement], answer: shown
            ) { try await list(Self.identifier($0), $0) },
            ManagementRoute(
                .delete, "/user-blocks", "delete_user_blocks_by_identifier",
                "Let an e-mail address, username or phone number log in again", in: Self.group, details: administrators,
                scopes: [["update:users"]], parameters: [Self.identifier], answer: lifted
            ) { try await lift(Self.identifier($0), $0) },
            ManagementRoute(
                .get, "/user-blocks/{id}", "list_user_blocks",
                "List the addresses from which a user is blocked after failed attempts", in: Self.group,
                parameters: [Self.enforcement], answer: shown
            ) { try await list(.user(UserID($0.id())), $0) },
            ManagementRoute(
                .delete, "/user-blocks/{id}", "delete_user_blocks", "Let a user log in again", in: Self.group,
                details: administrators, scopes: [["update:users"]], answer: lifted
            ) { try await lift(.user(UserID($0.id())), $0) },
        ]
    }

    private static func identifier(_ call: ManagementCall) throws -> ManageUserBlocks.Subject {
        .identifier(try call.required("identifier"))
    }

    private func list(_ subject: ManageUserBlocks.Subject, _ call: ManagementCall) async throws -> ManagementAnswer {
        let found = try await blocks.blocks(of: subject, in: call.tenant, now: call.now)
        return .object(["blocked_for": .array(found.map { .object(ManagementAPI.document(of: $0)) })])
    }

    private func lift(_ subject: ManageUserBlocks.Subject, _ call: ManagementCall) async throws {
        try await blocks.lift(subject, for: call.context)
    }
}
