package import AuthorizationCore
import Localization
import Primitives
import Templates

/// Paths of the values of templates.
enum MailValues {
    /// Values that neither a client nor a user writes, and addresses, which would be of no use with joiners in them.
    static let own = TemplatePaths([
        "url", "link", "tenant", "friendly_name", "support_url", "support_email", "request_language", "expires_at",
        "connection.name", "application.client_id", "application.clientID", "application.client_metadata",
        "application.metadata", "custom_domain", "user.email", "user.picture", "user.locale", "user.source_ip",
        "scopes.value",
    ])

    /// Members of the user that are read when the mail is sent.
    static let metadata = (user: "user_metadata", app: "app_metadata")

    private static let ofEachMail =
        [
            "url", "link", "tenant", "friendly_name", "support_url", "support_email", "request_language",
            "connection.name", "application.name", "application.client_id", "application.clientID",
            "application.client_metadata", "application.metadata", "custom_domain.domain",
            "custom_domain.domain_metadata",
        ]
        // Always nil here. Templates of Auth0 read it.
        + ["organization"]
        + [
            "user_id", "email", "email_verified", "name", "given_name", "family_name", "nickname", "username",
            "picture", "locale", metadata.user, metadata.app,
        ].map { "user.\($0)" }

    /// Values that some mail of the kind has.
    static func known(in kind: MailTemplate.Kind) -> TemplatePaths {
        switch kind {
        case .asynchronousApproval:
            TemplatePaths(
                ofEachMail + [
                    "api.name", "binding_message", "scopes.value", "scopes.description", "expires_in", "expires_at",
                ])
        case .blockedAccount: TemplatePaths(ofEachMail + ["user.source_ip", "user.city", "user.country"])
        default: TemplatePaths(ofEachMail)
        }
    }
}

extension MailTemplate {
    private var templates: [Template] { [body, subject, from].compactMap(\.self) }
    private var paths: [String] { templates.flatMap(\.paths) }

    /// Paths that the template reads and that no mail of the kind has, each once. Empty for a kind that is not sent.
    package func unknownPaths(in kind: Kind) -> [String] {
        guard kind.isSent else { return [] }
        let known = MailValues.known(in: kind)
        var seen: Set<String> = []
        return paths.filter { !known.leadsTo($0) && seen.insert($0).inserted }
    }

    /// True if the template reads a user's metadata, or all of the user. A template with more paths than are kept counts
    /// as one that reads all.
    var readsMetadata: Bool {
        if templates.contains(where: \.hasMorePaths) { return true }
        return paths.contains { read in
            read == "user"
                || [MailValues.metadata.user, MailValues.metadata.app].contains { read.hasPrefix("user.\($0)") }
        }
    }
}

extension User {
    /// Values of templates.
    var mailValues: JSONObject {
        var values: JSONObject = ["user_id": .string(id.rawValue), "email_verified": .bool(emailVerified)]
        values["email"] = email.map { .string($0.description) }
        values["name"] = name.map(JSONValue.string)
        values["given_name"] = givenName.map(JSONValue.string)
        values["family_name"] = familyName.map(JSONValue.string)
        values["nickname"] = nickname.map(JSONValue.string)
        values["username"] = username.map(JSONValue.string)
        values["picture"] = picture.flatMap { $0.hasPrefix("https://") ? .string($0) : nil }
        values["locale"] = language.map { .string($0.rawValue) }
        return values
    }
}
