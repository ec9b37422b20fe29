import Administration
import AuthorizationCore
import Configuration
import CountersignServer
import ManagementAPI
import Primitives
import Terminal

/// Commands for logins that are blocked after too many failed attempts.
extension Command {
    private static let blockedUser = Option<String>.argument(
        "USER", .string, "User's id, e-mail address, username or phone number.")

    static var blocks: Command {
        ObjectCommands.work(
            "blocks", "Show the addresses from which a user is blocked after too many failed attempts.",
            [blockedUser],
            discussion: """
                An unknown e-mail address is counted and blocked like any other. For users blocked by an \
                administrator, see countersign user show.
                """,
            examples: [
                "by e-mail address": "countersign user blocks hanna@shop.example",
                "by id, for a program": "countersign user blocks 'auth0|65f0' --json",
            ]
        ) { target, invocation in
            let found = try await eitherWay(try invocation[blockedUser]) { subject in
                try await target.installation.userBlocks.blocks(
                    of: subject, in: target.tenant.id, now: target.context.now)
            }
            try invocation.show(
                .array(found.map { .object(ManagementAPI.document(of: $0)) }),
                Table(
                    ["IDENTIFIER", "FROM", "GUESSED", "CONNECTION"],
                    rows: found.map { block in
                        [block.identifier, block.origin, block.guessed, block.connection].map { Text($0) }
                    }), asJSON: ObjectCommands.json)
        }
    }

    static var unblock: Command {
        ObjectCommands.work(
            "unblock", "Delete a user's failed attempts, so that they can log in again.", [blockedUser],
            discussion: """
                A user blocked by an administrator stays blocked. To unblock them, use countersign user update USER \
                --set blocked=false.
                """,
            examples: [
                "by e-mail address": "countersign user unblock hanna@shop.example",
                "by id": "countersign user unblock 'auth0|65f0'",
            ]
        ) { target, invocation in
            let lifted = try await eitherWay(try invocation[blockedUser]) { subject in
                try await target.installation.userBlocks.lift(subject, for: target.context)
            }
            try ObjectCommands.print(
                ["unblocked": .array(lifted.map { .object(ManagementAPI.document(of: $0)) })],
                lifted.isEmpty
                    ? ["nothing was blocked"]
                    : lifted.map { "unblocked \($0.identifier) from \($0.origin) (\($0.guessed))" }, invocation)
        }
    }

    /// Finds the user by id, or else by another name. A name in the form of an id is taken as an id.
    private static func eitherWay<Result>(
        _ name: String, _ body: (ManageUserBlocks.Subject) async throws -> Result
    ) async throws -> Result {
        do {
            return try await body(.user(UserID(name)))
        } catch AdministrationFailure.unknown(.user) where !name.contains("|") {
            return try await body(.identifier(name))
        }
    }
}

extension UserBlock {
    fileprivate var origin: String { address ?? "everywhere" }

    fileprivate var guessed: String {
        switch secret {
        case .oneTimePassword: "one-time passwords"
        case .recoveryCode: "recovery codes"
        case .loginNumber: "numbers on the phone"
        case .reportedLogin: "reported logins"
        case .passkey: "passkeys"
        case .password, .signUp, .passwordReset, .emailVerification, .push, .enrollmentCode: "passwords"
        }
    }
}
