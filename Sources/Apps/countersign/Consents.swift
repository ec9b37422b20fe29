import Administration
import AuthorizationCore
import Configuration
import CountersignServer
import OAuthWire
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

    /// Runs `work` with a filter of the options.
    private static func consentsCommand(
        _ name: String, _ summary: String, examples: Command.Examples,
        _ work: @escaping @Sendable (ConsentFilter, ObjectCommands.Target, Invocation) async throws -> Void
    ) -> Command {
        onDataFolder(
            name, summary,
            options: [user, client, audience, ObjectCommands.json, Installation.tenantOption], examples: examples
        ) { installation, invocation in
            let target = try await ObjectCommands.Target(installation, invocation)
            let filter = ConsentFilter(
                user: try await installation.user(try invocation[user], in: target.tenant).id,
                client: try invocation[client].map { ClientID($0) }, audience: try invocation[audience])
            try await work(filter, target, invocation)
            return 0
        }
    }

    private static var consentsList: Command {
        consentsCommand(
            "list", "Show a user's consents.",
            examples: ["consents of a user": "countersign consents list --user 'auth0|65f0'"]
        ) { filter, target, invocation in
            let consents = try await target.installation.grants
                .list(filter, in: target.tenant.id, skip: 0, limit: .max).grants.oldestFirst
            try ObjectCommands.print(
                ObjectCommands.Listing(consents.map(\.json)),
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
        ) { filter, target, invocation in
            let consents = try await target.installation.grants.remove(filter, for: target.context).oldestFirst
            guard !consents.isEmpty else {
                throw CommandFailure(
                    "\(try invocation[user]) has no such consent",
                    hint: "countersign consents list --user USER shows the consents")
            }
            try ObjectCommands.print(
                .array(consents.map { .object($0.json) }),
                consents.map { "Revoked \($0.client) at \($0.audience)" }, invocation)
        }
    }
}

extension [ConsentGrant] {
    fileprivate var oldestFirst: [ConsentGrant] { sorted { $0.createdAt < $1.createdAt } }
}

extension ConsentGrant {
    fileprivate var json: JSONObject {
        [
            "client_id": .string(client.rawValue), "audience": .string(audience), "scope": .string(scope.description),
            "created_at": .string(createdAt.iso8601), "updated_at": .string(updatedAt.iso8601),
        ]
    }
}
