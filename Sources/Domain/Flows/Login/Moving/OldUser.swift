import Audit
import AuthorizationCore
import Localization
import Primitives

/// A person as the tenant's old server describes them.
struct OldUser: Sendable {
    /// A user of the database, with the id that the old server gave. Holds no roles and permissions.
    let user: User
    let metadata: UserMetadata
    let authenticators: [ForeignAuthenticator]

    /// Reads an answer strictly: a member that is not known here, roles for example, is refused rather than left out.
    /// Members that the tenant does not take are not looked at.
    init(
        _ answer: JSONValue, of email: EmailAddress, taking members: Set<OldServer.Member>, now: Timestamp
    ) throws(OldServerFailure) {
        guard let document = answer.objectValue else { throw .answer("is no object") }
        let known = Set(["user_id", "email", Self.factors] + OldServer.Member.allCases.map(\.rawValue))
        if let other = document.members.first(where: { !known.contains($0.name) })?.name {
            throw .answer("has the unknown member \(RefusalLog.beginning(other))")
        }
        let reader = Reader(document: document, members: members)
        guard document["email"]?.stringValue.flatMap(EmailAddress.init(parsing:)) == email else {
            throw .answer("has not the email that it is about")
        }
        var user = User(id: try Self.id(document["user_id"]), createdAt: now)
        user.email = email
        user.emailVerified = try reader.flag(.emailVerified) ?? false
        // Auth0's names for a user who gave none.
        user.name = try reader.text(.name) ?? email.description
        user.nickname = try reader.text(.nickname) ?? email.localPart
        user.givenName = try reader.text(.givenName)
        user.familyName = try reader.text(.familyName)
        user.picture = try reader.text(.picture, limit: 2048)
        if let picture = user.picture, !picture.hasPrefix("https://") { throw .answer("has a picture without https") }
        // A language that pages do not have counts as none.
        user.language = try reader.text(.locale).flatMap(Language.init(rawValue:))
        self.user = user
        authenticators = try Self.authenticators(document[Self.factors])
        metadata = UserMetadata(user: try reader.metadata(.userMetadata), app: try reader.metadata(.appMetadata))
    }

    /// As for users whom an administrator creates: with or without the prefix of the database.
    private static func id(_ value: JSONValue?) throws(OldServerFailure) -> UserID {
        let given = value?.stringValue ?? value?.intValue.map(String.init) ?? ""
        let bare = given.hasPrefix("auth0|") ? given.dropFirst("auth0|".count) : given[...]
        guard (1...249).contains(bare.utf8.count),
            bare.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "|") })
        else { throw .answer("has a user_id that is missing or unfit") }
        return UserID("auth0|\(bare)")
    }

    private static let factors = "mfa_factors"

    /// Taken from every tenant's old server: without it the person would have a password alone.
    private static func authenticators(_ value: JSONValue?) throws(OldServerFailure) -> [ForeignAuthenticator] {
        guard let value, !value.isNull else { return [] }
        do throws(ForeignAuthenticator.Problem) { return try ForeignAuthenticator.list(value) } catch {
            throw .answer("\(factors)\(error.path) \(error.message)")
        }
    }

    private struct Reader {
        let document: JSONObject
        let members: Set<OldServer.Member>

        private func value(_ member: OldServer.Member) -> JSONValue? {
            guard members.contains(member), let value = document[member.rawValue], !value.isNull else { return nil }
            return value
        }

        /// An empty text counts as none, as old tables have them.
        func text(_ member: OldServer.Member, limit: Int = 255) throws(OldServerFailure) -> String? {
            guard let value = value(member), value != "" else { return nil }
            guard let text = value.stringValue, text.utf8.count <= limit,
                text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
            else { throw .answer("has an unfit \(member.rawValue)") }
            return text
        }

        func flag(_ member: OldServer.Member) throws(OldServerFailure) -> Bool? {
            guard let value = value(member) else { return nil }
            guard let flag = value.boolValue else { throw .answer("has an unfit \(member.rawValue)") }
            return flag
        }

        func metadata(_ member: OldServer.Member) throws(OldServerFailure) -> JSONObject {
            guard let value = value(member) else { return [:] }
            guard let object = value.objectValue else { throw .answer("has an unfit \(member.rawValue)") }
            if let problem = UserMetadata.problem(with: object) { throw .answer("\(member.rawValue) \(problem)") }
            return object
        }
    }
}
