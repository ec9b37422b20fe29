import AuthorizationCore
import Configuration
import CountersignServer
import HTTPModel
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
            let (_, found) = try await blocks(of: try invocation[blockedUser], target)
            try invocation.show(
                .array(found.map(JSONValue.object)),
                Table(
                    ["IDENTIFIER", "FROM", "GUESSED", "CONNECTION"],
                    rows: found.map { block in
                        [block.text("identifier"), block.origin, block.guessed, block.text("connection")]
                            .map { Text($0) }
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
            let (subject, lifted) = try await blocks(of: try invocation[blockedUser], target)
            switch subject {
            case .user(let id): try await target.send(.delete, "/user-blocks/{id}", [id])
            case .identifier(let name): try await target.send(.delete, "/user-blocks", query: ["identifier": name])
            }
            try ObjectCommands.print(
                ["unblocked": .array(lifted.map(JSONValue.object))],
                lifted.isEmpty
                    ? ["nothing was blocked"]
                    : lifted.map { "unblocked \($0.text("identifier")) from \($0.origin) (\($0.guessed))" }, invocation)
        }
    }

    private enum Subject {
        case user(String)
        case identifier(String)
    }

    /// Finds the user by id, or else by another name. A name in the form of an id is taken as an id.
    private static func blocks(
        of name: String, _ target: ManagedTenant
    ) async throws -> (Subject, [JSONObject]) {
        do {
            return (.user(name), try await target.get("/user-blocks/{id}", name).blocks)
        } catch AdministrationFailure.unknown(.user) where !name.contains("|") {
            return (.identifier(name), try await target.get("/user-blocks", query: ["identifier": name]).blocks)
        }
    }
}

extension JSONObject {
    fileprivate var blocks: [JSONObject] { (self["blocked_for"]?.arrayValue ?? []).compactMap(\.objectValue) }

    fileprivate func text(_ name: String) -> String { self[name]?.stringValue ?? "" }

    fileprivate var origin: String { self["ip"]?.stringValue ?? "everywhere" }

    fileprivate var guessed: String {
        switch AttemptKey.Secret(rawValue: text("factor")) {
        case .oneTimePassword: "one-time passwords"
        case .recoveryCode: "recovery codes"
        case .loginNumber: "numbers on the phone"
        case .reportedLogin: "reported logins"
        case .passkey: "passkeys"
        case .password, .signUp, .passwordReset, .emailVerification, .push, .enrollmentCode, nil: "passwords"
        }
    }
}
