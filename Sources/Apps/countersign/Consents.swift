import HTTPModel
import Primitives
import Terminal

extension Command {
    static var consents: Command {
        Command(
            "consents", "Show and revoke the consents that users gave to clients when they logged in.",
            examples: consentsList.examples + consentsRevoke.examples, subcommands: [consentsList, consentsRevoke])
    }

    private static let user = Option<String>.required(
        "user", short: "u", .string.placeholder("USER"), "User, by id, verified e-mail address or phone number.")
    private static let client = Option<String?>.optional(
        "client", .string.placeholder("ID"), defaultText: "every client", "Id of the client.")
    private static let audience = Option<String?>.optional(
        "audience", .string.placeholder("API"), defaultText: "every API", "Identifier of the API.")

    /// Runs `work` with the user's consents that the options name, oldest first.
    private static func consentsCommand(
        _ name: String, _ summary: String, examples: Command.Examples,
        _ work: @escaping @Sendable ([JSONObject], ManagedTenant, Invocation) async throws -> Void
    ) -> Command {
        onTenant(
            name, summary, options: [user, client, audience, ObjectCommands.json], examples: examples
        ) { target, invocation in
            let id = try await target.user(try invocation[user])["user_id"]?.stringValue ?? ""
            let (client, audience) = (try invocation[client], try invocation[audience])
            let found = try await target.pages("/grants", key: "grants", query: ["user_id": id]).objects.filter {
                grant in
                (client.map(JSONValue.string) ?? grant["clientID"]) == grant["clientID"]
                    && (audience.map(JSONValue.string) ?? grant["audience"]) == grant["audience"]
            }
            let sorted = found.sorted { ($0["created_at"]?.stringValue ?? "") < ($1["created_at"]?.stringValue ?? "") }
            try await work(sorted, target, invocation)
        }
    }

    private static var consentsList: Command {
        consentsCommand(
            "list", "Show a user's consents.",
            examples: ["consents of a user": "countersign consents list --user 'auth0|65f0'"]
        ) { consents, _, invocation in
            try ObjectCommands.print(
                ObjectCommands.Listing(consents.map(\.consent)),
                columns: ["CLIENT": "client_id", "API": "audience", "SCOPE": "scope", "SINCE": "created_at"], invocation
            )
        }
    }

    private static var consentsRevoke: Command {
        consentsCommand(
            "revoke", "Revoke consents and the refresh tokens issued under them. Clients have to ask again.",
            examples: [
                "revoke the consents for one client": "countersign consents revoke --user 'auth0|65f0' --client app"
            ]
        ) { consents, target, invocation in
            guard !consents.isEmpty else {
                throw CommandFailure(
                    "\(try invocation[user]) has no such consent",
                    hint: "countersign consents list --user USER shows the consents")
            }
            if try invocation[client] == nil, try invocation[audience] == nil,
                let user = consents[0]["user_id"]?.stringValue
            {
                try await target.send(.delete, "/grants", query: ["user_id": user])
            } else {
                for consent in consents {
                    try await target.send(.delete, "/grants/{id}", [consent["id"]?.stringValue ?? ""])
                }
            }
            try ObjectCommands.print(
                .array(consents.map { .object($0.consent) }),
                consents.map {
                    "Revoked \($0["clientID"]?.stringValue ?? "") at \($0["audience"]?.stringValue ?? "")"
                }, invocation)
        }
    }
}

extension JSONObject {
    /// A consent of the Management API's document, with the names of this program's other documents.
    fileprivate var consent: JSONObject {
        [
            "client_id": self["clientID"] ?? "", "audience": self["audience"] ?? "",
            "scope": .string((self["scope"]?.stringsValue ?? []).joined(separator: " ")),
            "created_at": self["created_at"] ?? "", "updated_at": self["updated_at"] ?? "",
        ]
    }
}
