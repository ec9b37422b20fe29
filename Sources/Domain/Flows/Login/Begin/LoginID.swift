import AuthorizationCore
import Primitives

/// Ids of logins, as the addresses of their pages have them.
package enum LoginID {
    /// Ends the id of a login whose answer goes to the window that opened its own. Random ids are base64url, which has
    /// no such character.
    private static let mark: Character = "~"

    static func make(_ random: any RandomSource, answersOpener: Bool) -> String {
        let id = Identifiers.handle(random)
        return answersOpener ? id + String(mark) : id
    }

    /// Readable from the id alone, because error pages of a login need it too. No proof: anyone can write such an id.
    package static func answersOpener(_ id: String) -> Bool { id.last == mark }
}
