import Localization
import Primitives

/// Users of Auth0: as its Management API and its export jobs show them, and the hashes of their passwords, which its
/// support exports on request. Either comes alone, or both together.
package struct Auth0Users: Sendable {
    private let users: [ForeignFile]
    private let hashes: [ForeignFile]

    package init(users: [ForeignFile], hashes: [ForeignFile]) {
        self.users = users
        self.hashes = hashes
    }

    var isEmpty: Bool { users.isEmpty && hashes.isEmpty }

    /// Adds the users of the tenant's database as documents of a users import. `database` is its name at Auth0, nil if
    /// the export has none.
    func add(
        to configuration: inout ForeignConfiguration, of database: String?
    ) throws(ForeignFailure) {
        var passwords = try Passwords(hashes, of: database, configuration.ledger)
        for file in users {
            for user in try file.objects("user", named: ["user_id", "email"], configuration.ledger) {
                guard var document = try document(of: user, database) else { continue }
                let id = document["user_id"]?.stringValue ?? ""
                if let hash = passwords.take(id) {
                    document["password_hash"] = hash
                } else {
                    user.differs(
                        "password", was: "at Auth0", here: "none",
                        "Auth0's support gives hashes on request, for --hashes; without one, the person sets a password "
                            + "by \"Forgot your password?\"")
                }
                user.finish()
                user.account.came(as: "users import")
                configuration.users.append(document)
            }
        }
        for rest in passwords.rest {
            guard users.isEmpty else {
                rest.user.account.stays("--users has no such user; the hash is of no use")
                continue
            }
            rest.user.finish()
            rest.user.account.came(as: "users import")
            configuration.users.append(rest.document)
        }
    }

    // MARK: a user

    private static let members = [
        "username", "email", "name", "given_name", "family_name", "nickname", "picture", "phone_number",
    ]

    /// Nil, with a line in the report, for users of other connections.
    private func document(of user: ForeignObject, _ database: String?) throws(ForeignFailure) -> JSONObject? {
        let id = try user.required("user_id")
        let identities = try user.objects("identities")
        var own: String?
        for identity in identities where own == nil {
            if try identity.text("provider") == "auth0" { own = try identity.text("connection") }
        }
        // Export jobs name members by their paths.
        let flat = try user.text("identities[0].connection")
        guard id.hasPrefix("auth0|") else {
            user.account.stays("a provider's user needs no import: the first login by the provider makes it again")
            return nil
        }
        if let database, let name = own ?? flat, name != database {
            user.account.stays("it is of \(name), and a tenant has one database, here \(database)")
            return nil
        }
        var document: JSONObject = ["user_id": .string(id)]
        for member in Self.members {
            document[member] = try user.text(member).flatMap { $0.isEmpty ? nil : .string($0) }
        }
        for member in ["email_verified", "phone_verified", "blocked"] {
            document[member] = try user.flag(member).map(JSONValue.bool)
        }
        if document["phone_number"] == nil { document["phone_verified"] = nil }
        for member in ["user_metadata", "app_metadata"] {
            if let object = user.value(member)?.objectValue, !object.isEmpty { document[member] = .object(object) }
        }
        if let factors = user.value("mfa_factors"), factors != [] { document["mfa_factors"] = factors }
        if let tag = try user.text("locale") { document["locale"] = Self.locale(tag).map(JSONValue.string) }
        try describe(identities, of: user)
        for (member, text) in Self.instead { user.absent(member, text) }
        return document
    }

    /// The language of mails and pages, as an import of users has it.
    static func locale(_ tag: String) -> String? { Language(tag: tag)?.rawValue }

    private func describe(_ identities: [ForeignObject], of user: ForeignObject) throws(ForeignFailure) {
        for (index, identity) in identities.enumerated() {
            for member in identity.names { _ = identity.value(member) }
            guard index > 0 else { continue }
            user.differs(
                "identities", was: "a linked account of \(try identity.text("connection") ?? "a provider")",
                here: "none",
                "set link_verified_emails: the person's first login by the provider finds the address")
        }
        let factors = ["multifactor", "guardian_authenticators"].compactMap { user.value($0)?.arrayValue }
        if !factors.joined().isEmpty, [nil, []].contains(user.value("mfa_factors")) {
            user.differs(
                "multifactor", was: "a second factor", here: "none",
                "the person loses the factor, and enrols a phone: countersign device invite. An authenticator app's secret "
                    + "comes as mfa_factors of the users' file")
        }
    }

    private static let instead: KeyValuePairs = [
        "created_at": "an imported user was created on the day of the import",
        "updated_at": "it is the day of the import",
        "last_login": "activity is counted from the day of the move", "last_ip": "activity is counted from the move",
        "logins_count": "activity is counted from the day of the move",
        "last_password_reset": "activity is counted from the day of the move",
        "multifactor_last_modified": "people enrol their phones anew",
        "blocked_for": "failed attempts are counted anew",
        "identities[0].connection": "the tenant has one database",
    ]
}

extension Auth0Users {
    /// Hashes of passwords by the users' ids.
    private struct Passwords {
        struct Entry {
            let user: ForeignObject
            /// The user as the hashes alone describe them.
            let document: JSONObject
        }

        private var entries: [String: Entry] = [:]
        private var order: [String] = []

        /// Entries that nobody took, in their order.
        var rest: [Entry] { order.compactMap { entries[$0] } }

        init(_ files: [ForeignFile], of database: String?, _ ledger: MoveLedger) throws(ForeignFailure) {
            for file in files {
                for user in try file.objects("user", named: ["email", "username"], ledger) {
                    try add(user, database)
                }
            }
        }

        private mutating func add(_ user: ForeignObject, _ database: String?) throws(ForeignFailure) {
            // The id that the application or the old database gave goes before the record's own.
            let (given, record) = (try user.text("alt_id"), try user.object("_id")?.text("$oid"))
            guard let name = given ?? record else {
                throw user.failure("_id", "has no $oid, as each line of Auth0's export of hashes has")
            }
            let id = "auth0|\(name)"
            if let database, let own = try user.text("connection"), own != database {
                return user.account.stays("it is of \(own), and a tenant has one database, here \(database)")
            }
            guard entries[id] == nil else { throw user.failure("_id", "is \(name), as another line's is") }
            var document: JSONObject = ["user_id": .string(id)]
            for identifier in try user.objects("identifiers") {
                let (type, value) = (try identifier.text("type"), try identifier.text("value"))
                if type == "email" || type == "username", let type { document[type] = value.map(JSONValue.string) }
                let isVerified = try identifier.flag("verified")
                if type == "email" { document["email_verified"] = isVerified.map(JSONValue.bool) }
                identifier.finish()
            }
            for member in ["email", "username"] {
                if let text = try user.text(member), !text.isEmpty { document[member] = .string(text) }
            }
            if let isVerified = try user.flag("email_verified") { document["email_verified"] = .bool(isVerified) }
            if let hash = try user.secret("passwordHash") {
                if hash.hasPrefix("$2") {
                    document["password_hash"] = .string(hash)
                } else {
                    user.differs(
                        "passwordHash", was: "no hash of bcrypt", here: "none",
                        "the person sets a password by \"Forgot your password?\"")
                }
            }
            for (member, text) in Self.instead { user.absent(member, text) }
            order.append(id)
            entries[id] = Entry(user: user, document: document)
        }

        private static let instead: KeyValuePairs = [
            "password_set_date": "the age of a password has no effect",
            "tenant": "the tenant is the one of this import",
            "_tmp_is_unique": "it is Auth0's own",
        ]

        /// The hash of the user, once.
        mutating func take(_ id: String) -> JSONValue? { entries.removeValue(forKey: id)?.document["password_hash"] }
    }
}

extension ForeignFile {
    /// Objects of a list, of a page with `users`, or one a line. `members` are those by which people know an object.
    fileprivate func objects(
        _ kind: String, named members: [String], _ ledger: MoveLedger
    ) throws(ForeignFailure) -> [ForeignObject] {
        var objects: [ForeignObject] = []
        for (place, value) in try values() {
            let title = members.lazy.compactMap { value[$0]?.stringValue }.first ?? place
            let subject = MoveReport.Subject(kind: kind, name: title, file: path)
            objects.append(try ForeignObject(value, SubjectAccount(subject, ledger), place: place))
        }
        return objects
    }

    private func values() throws(ForeignFailure) -> [(place: String, value: JSONValue)] {
        let text = Array(bytes.withoutByteOrderMark)
        let lines = text.split(separator: UInt8(ascii: "\n")).filter { line in
            line.contains { $0 != 0x20 && $0 != 0x0D && $0 != 0x09 }
        }
        // A list may span lines, and so may a page, whose first line is no object then.
        let isList = lines.count < 2 || lines[0].first != UInt8(ascii: "{") || (try? json(Array(lines[0]))) == nil
        guard !isList else {
            let value = try json(text)
            let list = value.arrayValue ?? value["users"]?.arrayValue ?? [value]
            return list.enumerated().map { ("[\($0.offset)]", $0.element) }
        }
        var values: [(place: String, value: JSONValue)] = []
        for (index, line) in lines.enumerated() {
            do {
                values.append(("line \(index + 1)", try json(Array(line))))
            } catch {
                throw ForeignFailure(file: path, path: "line \(index + 1)", error.message)
            }
        }
        return values
    }
}
