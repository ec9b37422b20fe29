import AuthorizationCore
import Configuration
import HTTPModel
import Primitives
import Terminal

/// Commands for clients' grants of APIs.
extension Command {
    private static let client = Option<String>.argument("CLIENT", .string, "Id of the client.")
    private static let audience = Option<String>.argument("API", .string, "The API's identifier.")
    private static let scopes = Option<[String]>.arguments("SCOPE", .string, "Scopes of the API.")
    private static let subject = Option<ClientGrant.Subject?>.optional(
        "for", .choice(), defaultText: "the existing grant's, or client",
        "Grant for the client's own tokens, or for tokens of users.")

    private static let aboutSubjects = """
        A client can have two grants for an API: one for tokens of its own and one for tokens of users. In a file \
        for countersign apply, a grant without a subject type covers both.
        """

    private static func request(_ target: ManagedTenant, _ invocation: Invocation) throws -> GrantRequest {
        GrantRequest(
            target: target, client: try invocation[client], audience: try invocation[audience],
            subject: try invocation[subject])
    }

    static var grantToClient: Command {
        let all = Option<Bool>.flag("all-scopes", "Grant every scope of the API, including future ones.")
        let types = Option<[String]>.repeated(
            "details-type", .string.placeholder("TYPE"),
            "Type of authorization details that the client may ask users for, if the API requires a grant.")
        return ObjectCommands.work(
            "grant", "Grant a client scopes of an API, in addition to those it has.",
            [client, audience, scopes, all, subject, types],
            discussion: aboutSubjects,
            examples: [
                "let the client read with its own tokens":
                    "countersign client grant 3vT0aMXjWkq2mZ9wqVbN1rYpLsKd8uXe https://api.example.com/ read",
                "let the client ask users for every scope of an API":
                    "countersign client grant 3vT0aMXjWkq2mZ9wqVbN1rYpLsKd8uXe https://api.example.com/ --all-scopes "
                    + "--for user",
            ]
        ) { target, invocation in
            let request = try request(target, invocation)
            let scopes = Set(try invocation[scopes])
            let all = try invocation[all]
            guard !all || scopes.isEmpty else {
                throw UsageError("--all-scopes cannot be given with \(scopes.sorted().joined(separator: ", "))")
            }
            let entry = try await request.grant(all ? nil : scopes, types: Set(try invocation[types]))
            try ObjectCommands.print(entry, invocation)
        }
    }

    static var ungrantClient: Command {
        ObjectCommands.work(
            "ungrant", "Revoke scopes of an API from a client, or the whole grant if no SCOPE is given.",
            [client, audience, scopes, subject],
            discussion: aboutSubjects,
            examples: [
                "revoke one scope":
                    "countersign client ungrant 3vT0aMXjWkq2mZ9wqVbN1rYpLsKd8uXe https://api.example.com/ payments:make",
                "revoke the whole grant of an API":
                    "countersign client ungrant 3vT0aMXjWkq2mZ9wqVbN1rYpLsKd8uXe https://api.example.com/",
            ]
        ) { target, invocation in
            let request = try request(target, invocation)
            let left = try await request.ungrant(Set(try invocation[scopes]))
            try print(left, invocation)
        }
    }

    static var clientGrants: Command {
        let client = Option<String?>.optionalArgument("CLIENT", .string, "Only grants of this client.")
        return ObjectCommands.work(
            "grants", "Show the grants of clients.", [client, ObjectCommands.limit],
            examples: [
                "list one client's grants": "countersign client grants 3vT0aMXjWkq2mZ9wqVbN1rYpLsKd8uXe",
                "list all grants as JSON": "countersign client grants --json",
            ]
        ) { target, invocation in
            let client = try invocation[client]
            // Fails for an unknown client, which also has no grants.
            if let client { _ = try await target.get("/clients/{id}", client) }
            let filter: KeyValuePairs<String, String> = client.map { ["client_id": $0] } ?? [:]
            let entries = try await target.pages("/client-grants", key: "client_grants", query: filter).objects
            try print(entries, limit: try invocation[ObjectCommands.limit] ?? .max, invocation)
        }
    }

    private static func print(
        _ entries: [JSONObject], limit: Int = .max, _ invocation: Invocation
    ) throws {
        let asJSON = try invocation[ObjectCommands.json]
        try ObjectCommands.print(
            ObjectCommands.Listing(entries.map { asJSON ? $0 : $0.row }).cut(to: limit),
            columns: [
                "CLIENT": "client_id", "API": "audience", "FOR": "subject_type", "SCOPES": "scope",
                "DETAILS": "authorization_details_types",
            ], invocation)
    }
}

/// One client's grants of one API, as the Management API's documents.
private struct GrantRequest {
    let target: ManagedTenant
    let client: String
    let audience: String
    let subject: ClientGrant.Subject?

    /// Extends the existing grant or creates one. Nil grants every scope.
    func grant(_ scopes: Set<String>?, types: Set<String>) async throws -> JSONObject {
        let known = try await matching()
        guard try await isKnown() else {
            throw CommandFailure(
                "there is no API \(audience)", hint: "countersign api list shows the identifiers of all")
        }
        guard known.count < 2 else {
            throw UsageError(
                "the client has one grant of \(audience) for itself and one in users' names",
                hint: "choose one with --for client or --for user")
        }
        guard let entry = known.first else {
            var document: JSONObject = ["client_id": .string(client), "audience": .string(audience)]
            document["subject_type"] = (subject?.rawValue).map(JSONValue.string)
            document["scope"] = scopes.map { JSONValue($0.sorted()) }
            if scopes == nil { document["allow_all_scopes"] = true }
            if !types.isEmpty { document["authorization_details_types"] = JSONValue(types.sorted()) }
            return try await target.send(.post, "/client-grants", document)
        }
        var patch: JSONObject = [:]
        if scopes == nil { patch["allow_all_scopes"] = true }
        if let scopes, let held = entry.namedScopes { patch["scope"] = JSONValue(held.union(scopes).sorted()) }
        if !types.isEmpty, let held = entry["authorization_details_types"]?.stringsValue {
            patch["authorization_details_types"] = JSONValue(Set(held).union(types).sorted())
        }
        return try await target.send(.patch, "/client-grants/{id}", [entry.id], patch)
    }

    private func isKnown() async throws -> Bool {
        do {
            return try await target.get("/resource-servers/{id}", audience)["identifier"]?.stringValue == audience
        } catch AdministrationFailure.unknown(.resourceServer) {
            return false
        }
    }

    /// Revokes the scopes, or the whole grants if `scopes` is empty. Returns the client's remaining grants of the API.
    func ungrant(_ scopes: Set<String>) async throws -> [JSONObject] {
        let known = try await matching()
        guard !known.isEmpty else {
            throw CommandFailure(
                "the client \(client) is not granted anything of \(audience)",
                hint: "countersign client grants \(client) lists its grants")
        }
        guard !scopes.isEmpty else {
            for entry in known { try await target.send(.delete, "/client-grants/{id}", [entry.id]) }
            return try await all()
        }
        // Checks every grant before it changes one.
        let held = try known.map { entry in
            guard let held = entry.namedScopes else {
                throw CommandFailure(
                    "the client is granted every scope of \(audience), so a single scope cannot be revoked",
                    hint: "revoke the whole grant, then grant the remaining scopes")
            }
            return held
        }
        if let unknown = scopes.subtracting(held.reduce([]) { $0.union($1) }).min() {
            throw CommandFailure(
                "the client is not granted \(unknown) at \(audience)",
                hint: "countersign client grants \(client) lists its grants")
        }
        for (entry, held) in zip(known, held) where !held.isDisjoint(with: scopes) {
            try await target.send(
                .patch, "/client-grants/{id}", [entry.id], ["scope": JSONValue(held.subtracting(scopes).sorted())])
        }
        return try await all()
    }

    private func all() async throws -> [JSONObject] {
        try await target.pages(
            "/client-grants", key: "client_grants", query: ["client_id": client, "audience": audience]
        ).objects
    }

    /// Grants for `subject`. Nil matches every subject.
    private func matching() async throws -> [JSONObject] {
        _ = try await target.get("/clients/{id}", client)
        let all = try await all()
        guard let subject else { return all }
        guard !all.contains(where: { $0["subject_type"] == nil }) else {
            throw CommandFailure(
                "the client has one grant of \(audience) for itself and in users' names together",
                hint: "omit --for to change it, or revoke it with client ungrant and grant each")
        }
        return all.filter { $0["subject_type"]?.stringValue == subject.rawValue }
    }
}

extension JSONObject {
    fileprivate var id: String { self["id"]?.stringValue ?? "" }

    /// Nil for a grant of every scope.
    fileprivate var namedScopes: Set<String>? {
        self["allow_all_scopes"] == true ? nil : Set(self["scope"]?.stringsValue ?? [])
    }

    /// Row of the table.
    fileprivate var row: JSONObject {
        var row = self
        row["subject_type"] = self["subject_type"] ?? "client, user"
        if namedScopes == nil { row["scope"] = "all" }
        return row
    }
}
