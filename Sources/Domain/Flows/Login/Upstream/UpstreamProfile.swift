import AuthorizationCore
import Primitives

/// A provider's profile of a user, under the names of OIDC Core 5.1.
struct UpstreamProfile: Sendable, Equatable {
    /// The provider's own identifier of the user.
    let subject: String
    var name: String?
    var givenName: String?
    var familyName: String?
    var nickname: String?
    var picture: String?
    /// Nil if the provider gives none, or a text that is no address.
    var email: EmailAddress?
    var emailVerified = false

    /// Reads userinfo or an ID token. Leaves out texts that are unfit here. Throws if the identifier is unfit.
    init(_ members: JSONObject, of provider: UpstreamProvider) throws(UpstreamFailure) {
        func value(_ attribute: UpstreamProvider.Attribute) -> JSONValue? {
            members[provider.upstreamName(of: attribute)]
        }
        func text(_ attribute: UpstreamProvider.Attribute, limit: Int = 255) -> String? {
            value(attribute)?.stringValue.flatMap { Self.fit($0, limit: limit) }
        }
        // GitHub and others number their users.
        let subject = value(.subject)?.stringValue ?? value(.subject)?.intValue.map(String.init)
        guard let subject, (1...255).contains(subject.utf8.count),
            subject.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { throw .violation(.profile("\(provider.upstreamName(of: .subject)) is missing or unfit")) }
        self.subject = subject
        name = text(.name)
        givenName = text(.givenName)
        familyName = text(.familyName)
        nickname = text(.nickname)
        picture = text(.picture, limit: 2048).flatMap { $0.hasPrefix("https://") ? $0 : nil }
        email = value(.email)?.stringValue.flatMap(EmailAddress.init(parsing:))
        // Some providers write the flag as a text.
        emailVerified = email != nil && [true, "true"].contains(value(.emailVerified))
    }

    /// Takes the primary address of a list of `email`, `primary` and `verified` (GitHub: list email addresses for the
    /// authenticated user). It replaces the one of the profile, which the user may have typed in.
    mutating func take(emails: JSONValue) {
        guard let primary = emails.arrayValue?.first(where: { $0["primary"]?.boolValue == true }),
            let address = primary["email"]?.stringValue.flatMap(EmailAddress.init(parsing:))
        else { return }
        email = address
        emailVerified = primary["verified"]?.boolValue == true
    }

    /// Claims of an ID token with those of userinfo over them. The address and its verification come from one
    /// document: the other document may verify another address.
    static func merged(_ claims: JSONObject, _ userInfo: JSONObject, of provider: UpstreamProvider) -> JSONObject {
        let email = provider.upstreamName(of: .email)
        let verified = provider.upstreamName(of: .emailVerified)
        let hasEmail = userInfo[email].map { !$0.isNull } ?? false
        var merged = claims
        for (name, value) in userInfo where ![email, verified].contains(name) { merged[name] = value }
        if hasEmail {
            merged[email] = userInfo[email]
            merged[verified] = userInfo[verified]
        }
        return merged
    }

    /// Changes the fields of a user that the provider gave, and no others.
    func apply(to user: inout User) {
        user.name = name ?? nickname ?? user.name
        user.givenName = givenName ?? user.givenName
        user.familyName = familyName ?? user.familyName
        user.nickname = nickname ?? user.nickname
        user.picture = picture ?? user.picture
        if let email {
            user.email = email
            user.emailVerified = emailVerified
        }
    }

    private static func fit(_ text: String, limit: Int) -> String? {
        let isFit = (1...limit).contains(text.utf8.count) && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
        return isFit ? text : nil
    }
}
