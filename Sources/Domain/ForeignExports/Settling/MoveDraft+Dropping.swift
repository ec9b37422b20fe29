import AuthorizationCore
import Configuration
import Primitives

/// Members that a tenant cannot have. Limits of a client, such as a grant, are dropped whole and never left open.
extension MoveDraft {
    // MARK: references

    /// Drops grants, permissions and settings that refer to APIs, scopes and clients that there are not.
    mutating func dropUnknownReferences() {
        var scopes: [String: Set<String>] = ["https://\(target.host)/api/v2/": Set(ResourceServer.managementScopes)]
        var types: [String: Set<String>] = [:]
        for api in entry["apis"]?.arrayValue ?? [] {
            guard let identifier = api["identifier"]?.stringValue else { continue }
            scopes[identifier] = Set((api["scopes"]?.arrayValue ?? []).compactMap { $0["value"]?.stringValue })
            types[identifier] = Set(
                (api["authorization_details"]?.arrayValue ?? []).compactMap { $0["type"]?.stringValue })
        }
        let ledger = ledger
        change("roles") { role, subject in
            guard let permissions = role["permissions"]?.arrayValue else { return }
            role["permissions"] = .array(
                permissions.filter { permission in
                    let api = permission["resource_server_identifier"]?.stringValue ?? ""
                    let scope = permission["permission_name"]?.stringValue ?? ""
                    if scopes[api]?.contains(scope) == true { return true }
                    ledger.differs(
                        subject, "permissions", was: "\(scope) of \(api)", here: "left out", "there is no such scope")
                    return false
                })
        }
        change("clients") { client, subject in
            guard let grants = client["client_grants"]?.arrayValue else { return }
            client["client_grants"] = .array(grants.compactMap { Self.known($0, scopes, types, subject, ledger) })
        }
        let clients = Set((entry["clients"]?.arrayValue ?? []).compactMap { $0["client_id"]?.stringValue })
        change("connections") { connection, subject in
            guard let enabled = connection["enabled_clients"]?.stringsValue else { return }
            for client in enabled where !clients.contains(client) {
                ledger.differs(subject, "enabled_clients", was: client, here: "left out", "the client did not come")
            }
            connection["enabled_clients"] = JSONValue(enabled.filter(clients.contains))
        }
        if let audience = entry["settings"]?["default_audience"]?.stringValue, scopes[audience] == nil {
            ledger.differs(
                settingsSubject, "default_audience", was: audience, here: "the userinfo endpoint",
                "there is no such API")
            var settings = entry["settings"]?.objectValue ?? [:]
            settings["default_audience"] = nil
            entry["settings"] = .object(settings)
        }
    }

    private static func known(
        _ grant: JSONValue, _ scopes: [String: Set<String>], _ types: [String: Set<String>],
        _ subject: MoveReport.Subject, _ ledger: MoveLedger
    ) -> JSONValue? {
        guard var document = grant.objectValue, let api = grant["audience"]?.stringValue else { return nil }
        guard let defined = scopes[api] else {
            ledger.differs(subject, "grants", was: "grant for \(api)", here: "left out", "there is no such API")
            return nil
        }
        func filter(_ member: String, _ defined: Set<String>, _ word: String) -> Bool {
            guard let given = document[member]?.stringsValue else { return true }
            for name in given where !defined.contains(name) {
                ledger.differs(
                    subject, "grants", was: "\(name) of \(api)", here: "left out", "there is no such \(word)")
            }
            let kept = given.filter(defined.contains)
            document[member] = JSONValue(kept)
            return given.isEmpty || !kept.isEmpty
        }
        let isWhole = filter("scope", defined, "scope")
        let hasTypes = filter("authorization_details_types", types[api] ?? [], "type of details")
        return isWhole && hasTypes ? .object(document) : nil
    }

    /// Takes back that grants came of which nothing is left.
    func withdrawLostGrants(_ grants: [ForeignConfiguration.Grants]) {
        for given in grants {
            let client = entry["clients"]?.arrayValue?.first { $0["client_id"]?.stringValue == given.client }
            let kept = (client?["client_grants"]?.arrayValue ?? []).compactMap { $0["audience"]?.stringValue }
            guard !given.audiences.contains(where: kept.contains) else { continue }
            ledger.withdraw(given.subject)
            ledger.absent(
                given.subject, "",
                client == nil
                    ? "the client \(given.client) did not come"
                    : "no scope of it is here; see the lines of the client \(given.client)", isIdle: false)
        }
    }

    /// Changes the objects of a list that come from the export.
    private mutating func change(_ list: String, _ body: (inout JSONObject, MoveReport.Subject) -> Void) {
        guard let key = Self.keys[list], let objects = entry[list]?.arrayValue else { return }
        entry[list] = .array(
            objects.map { value in
                guard var object = value.objectValue, let id = object[key]?.stringValue,
                    let subject = origins[list]?[id]
                else { return value }
                body(&object, subject)
                return .object(object)
            })
    }

    // MARK: problems

    private struct Problem {
        let rest: [MemberPath.Step]
        let message: String
    }

    /// Drops the parts that the lines are about.
    mutating func drop(_ lines: [ConfigurationFile.Failure.Line]) throws {
        var byPlace: [MemberPath.Place: [Problem]] = [:]
        for line in lines {
            guard let path = MemberPath(line.path), let place = path.place else { throw own(line.path, line.message) }
            byPlace[place, default: []].append(Problem(rest: path.rest, message: line.message))
        }
        // Later elements first, so that the numbers of earlier ones stay true.
        for (place, problems) in byPlace.sorted(by: { $1.key.precedes($0.key) }) {
            if place.list == "settings" {
                for problem in problems { try dropSetting(problem) }
            } else {
                try drop(problems, at: place)
            }
        }
    }

    private func own(_ path: String, _ message: String) -> ForeignFailure {
        ForeignFailure(
            file: "the tenant \(target.id)", path: path, "\(message); change the tenant, or its options here")
    }

    private mutating func dropSetting(_ problem: Problem) throws {
        guard case .name(let name)? = problem.rest.first, var settings = entry["settings"]?.objectValue,
            let value = settings[name]
        else { throw own("settings", problem.message) }
        let old = target.stored?.fileEntry["settings"]?[name]
        guard old != value else { throw own("settings.\(name)", problem.message) }
        settings[name] = old
        entry["settings"] = .object(settings)
        ledger.differs(
            settingsSubject, name, was: Self.shown(value), here: old == nil ? "the default" : "the tenant's",
            "it \(problem.message)")
    }

    private mutating func drop(_ problems: [Problem], at place: MemberPath.Place) throws {
        let (value, id, subject) = try element(at: place)
        var changed = value
        for problem in problems.sorted(by: { MemberPath.precedes($1.rest, $0.rest) }) {
            guard let member = problem.rest.first?.name, member != Self.keys[place.list],
                !["email_provider", "email_templates"].contains(place.list),
                let (smaller, was) = Self.without(problem.rest, in: changed)
            else {
                remove(place, id)
                ledger.withdraw(subject)
                ledger.absent(subject, "", "it \(problem.message)", isIdle: false)
                return
            }
            changed = smaller
            ledger.differs(subject, member, was: was, here: "left out", problem.message)
        }
        replace(place, id, by: changed)
    }

    /// The value without the member at the path, and that member in words. Nil if it has none, or must not be without it.
    private static func without(_ path: [MemberPath.Step], in value: JSONValue) -> (JSONValue, String)? {
        let name = path.first?.name ?? ""
        switch name {
        case "callbacks" where path.count == 1:
            // The last redirect URI was dropped.
            guard var object = value.objectValue, let grants = object["grant_types"]?.stringsValue,
                grants.contains("authorization_code")
            else { return nil }
            object["grant_types"] = JSONValue(grants.filter { $0 != "authorization_code" })
            return (.object(object), "the grant authorization_code")
        case "client_grants", "limited_to_grants":
            // No grants, rather than all.
            guard var object = value.objectValue, object["client_grants"]?.arrayValue?.isEmpty == false else {
                return nil
            }
            object["client_grants"] = []
            return (.object(object), "all grants")
        case "name", "token_endpoint_auth_method", "client_authentication_methods", "jwks_uri", "enabled_clients",
            "client_secret", "strategy", "permissions", "subject_type_authorization", "enforce_policies":
            return nil
        default:
            guard let (smaller, dropped) = MemberPath.removing(path[...], from: value) else { return nil }
            return (smaller, shown(dropped))
        }
    }

    private func element(at place: MemberPath.Place) throws -> (JSONValue, String, MoveReport.Subject) {
        let found: JSONValue?
        let id: String
        if let key = Self.keys[place.list] {
            found = entry[place.list]?[place.index]
            id = found?[key]?.stringValue ?? ""
        } else {
            id = place.name
            found = place.name.isEmpty ? entry[place.list] : entry[place.list]?[place.name]
        }
        guard let found, let subject = origins[place.list]?[id] else {
            throw own("\(place.list) \(id)", "has a problem of its own")
        }
        return (found, id, subject)
    }

    private mutating func remove(_ place: MemberPath.Place, _ id: String) {
        if Self.keys[place.list] != nil {
            var objects = entry[place.list]?.arrayValue ?? []
            if objects.indices.contains(place.index) { objects.remove(at: place.index) }
            entry[place.list] = .array(objects)
        } else if place.name.isEmpty {
            entry[place.list] = nil
        } else {
            var objects = entry[place.list]?.objectValue ?? [:]
            objects[id] = nil
            entry[place.list] = objects.isEmpty ? nil : .object(objects)
        }
    }

    private mutating func replace(_ place: MemberPath.Place, _ id: String, by value: JSONValue) {
        var objects = entry[place.list]?.arrayValue ?? []
        guard objects.indices.contains(place.index) else { return }
        objects[place.index] = value
        entry[place.list] = .array(objects)
    }

    /// A value in a few words. Objects are not shown, because secrets are among them.
    private static func shown(_ value: JSONValue) -> String {
        switch value {
        case .string(let text): String(text.prefix(200))
        case .number(let number): number.literal
        case .bool(let flag): "\(flag)"
        case .array(let elements) where elements.allSatisfy { $0.stringValue != nil }:
            elements.compactMap(\.stringValue).prefix(5).joined(separator: ", ")
        case .array, .object, .null: value.kindInWords
        }
    }
}
