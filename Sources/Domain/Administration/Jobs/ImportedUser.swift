import AuthorizationCore
import Configuration
import PasswordHashes
import Primitives

/// One user of an import's file, in Auth0's schema. Beyond it, `roles` and `locale` are known.
struct ImportedUser: Sendable {
    /// Reasons for which a user is not taken.
    struct Refusal: Error, Sendable {
        struct Problem: Sendable, Equatable {
            let code: String
            let message: String
            var path: String?
        }

        let problems: [Problem]

        init(_ problems: [Problem]) { self.problems = problems }

        init(_ code: String, _ message: String, at path: String? = nil) {
            self.init([Problem(code: code, message: message, path: path)])
        }

        init(_ failure: AdministrationFailure) {
            switch failure {
            case .invalid(let found):
                self.init(found.map { Problem(code: "INVALID_FORMAT", message: $0.message, path: $0.path) })
            case .conflict(_, let property):
                self.init("DUPLICATED_USER", "Another user has the same \(property)", at: property)
            case .beyondOwnScopes(let action, let missing):
                self.init(
                    "INSUFFICIENT_SCOPE",
                    "\(action) needs scopes that the job's author lacks: "
                        + missing.joined(separator: ", "))
            case .unknown(let kind): self.init("INVALID_FORMAT", "The \(kind.words) does not exist")
            case .unsupported(let reason), .tooMany(let reason, _): self.init("INVALID_FORMAT", reason)
            case .tooManyJobs: self.init("INVALID_FORMAT", "There are too many jobs")
            }
        }
    }

    private static let own: Set = [
        "password_hash", "custom_password_hash", "mfa_factors", "roles", "app_metadata", "user_metadata", "user_id",
        "password_set_date",
    ]
    /// Members of an existing user that an import may change.
    private static let upserted: Set = [
        "email_verified", "family_name", "given_name", "name", "nickname", "picture", "locale",
    ]
    /// Names that applications' metadata must not have, since Auth0's rules read them there.
    private static let reservedMetadata: Set = [
        "__tenant", "_id", "blocked", "clientID", "created_at", "email_verified", "email", "globalClientID",
        "global_client_id", "identities", "lastIP", "lastLogin", "loginsCount", "metadata",
        "multifactor_last_modified", "multifactor", "updated_at", "user_id",
    ]

    /// Profile, metadata and id, as ``ManageUsers/create(_:for:)`` takes them.
    let profile: JSONObject
    /// Stored form. Nil without a password.
    let passwordHash: String?
    /// False for a `password_hash`, which Auth0 takes for new users alone.
    let updatesPassword: Bool
    /// Nil leaves them.
    let roles: [RoleID]?
    /// Authenticator apps, which new users get.
    let authenticators: [ForeignAuthenticator]

    init(_ given: JSONObject, _ passwords: any PasswordHasher) throws(Refusal) {
        var document = JSONObject()
        for (name, value) in given where !value.isNull { document[name] = value }
        // Known where single users are made, but not here, where they would be dropped.
        for name in ["password", "connection"] where document[name] != nil {
            throw Refusal("INVALID_FORMAT", "is not a known field", at: name)
        }
        authenticators = try document["mfa_factors"].map(Self.authenticators) ?? []
        if let name = document["app_metadata"]?.objectValue?.first(where: { Self.reservedMetadata.contains($0.name) })?
            .name
        {
            throw Refusal("INVALID_FORMAT", "must not have the member \(name)", at: "app_metadata")
        }
        var profile = JSONObject()
        for (name, value) in document {
            if !Self.own.contains(name) || ["app_metadata", "user_metadata", "user_id"].contains(name) {
                profile[name] = value
            }
        }
        self.profile = profile
        (passwordHash, updatesPassword) = try Self.hash(of: document, passwords)
        roles = try document["roles"].map { value throws(Refusal) in
            guard let ids = value.stringsValue, ids.count <= ManageRoles.assignmentLimit else {
                throw Refusal(
                    "INVALID_FORMAT", "must be a list of at most \(ManageRoles.assignmentLimit) ids", at: "roles")
            }
            return ids.map { RoleID($0) }
        }
    }

    private static func authenticators(_ factors: JSONValue) throws(Refusal) -> [ForeignAuthenticator] {
        do throws(ForeignAuthenticator.Problem) {
            return try ForeignAuthenticator.list(factors)
        } catch {
            throw Refusal(
                error.isUnsupported ? "UNSUPPORTED" : "INVALID_FORMAT", error.message, at: "mfa_factors\(error.path)")
        }
    }

    private static func hash(
        of document: JSONObject, _ passwords: any PasswordHasher
    ) throws(Refusal) -> (String?, isCustom: Bool) {
        let (plain, custom) = (document["password_hash"], document["custom_password_hash"])
        guard plain == nil || custom == nil else {
            throw Refusal("INVALID_FORMAT", "cannot be sent with password_hash", at: "custom_password_hash")
        }
        guard plain != nil || custom != nil else { return (nil, false) }
        let name = plain == nil ? "custom_password_hash" : "password_hash"
        let hash: ForeignPasswordHash
        do throws(ForeignPasswordHash.Problem) {
            switch (plain?.stringValue, custom?.objectValue) {
            case (let text?, _): hash = try ForeignPasswordHash(text: text)
            case (_, let object?): hash = try ForeignPasswordHash(object)
            case (nil, nil):
                throw ForeignPasswordHash.Problem("", plain == nil ? "must be an object" : "must be a text")
            }
        } catch {
            throw Refusal("INVALID_FORMAT", error.message, at: error.path.isEmpty ? name : "\(name).\(error.path)")
        }
        if let reason = passwords.refusal(ofForeign: hash.stored) { throw Refusal("UNSUPPORTED", reason, at: name) }
        return (hash.stored, plain == nil)
    }

    /// Members for a user who exists already.
    var changes: JSONObject {
        var changes = JSONObject()
        for (name, value) in profile where Self.upserted.contains(name) { changes[name] = value }
        return changes
    }

    /// Members whose values a report shows. A password or hash by any other name stays out of it.
    private static let shown: Set = [
        "user_id", "email", "email_verified", "username", "name", "given_name", "family_name", "nickname", "picture",
        "phone_number", "phone_verified", "locale", "blocked", "roles", "user_metadata", "app_metadata",
    ]

    /// The user for a report, without hashes, secrets and what is unknown.
    static func redacted(_ document: JSONObject) -> JSONObject {
        let hidden = JSONValue.string("*****")
        return document.reduce(into: JSONObject()) { shown, member in
            if Self.shown.contains(member.name) {
                shown[member.name] = member.value
            } else if member.name == "custom_password_hash", let algorithm = member.value["algorithm"] {
                shown[member.name] = ["algorithm": algorithm, "hash": ["value": hidden]]
            } else {
                shown[member.name] = hidden
            }
        }
    }
}
