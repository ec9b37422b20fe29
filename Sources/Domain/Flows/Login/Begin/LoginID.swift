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

    /// Tells by the id alone, so that error pages of a login know it too. An id proves nothing: anybody can write one.
    package static func answersOpener(_ id: String) -> Bool { id.last == mark }
}
