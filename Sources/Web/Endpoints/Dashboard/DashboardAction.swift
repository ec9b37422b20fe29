import APIDescription
import JSONSchema
import Localization
import ManagementAPI
import OAuthWire
import Pages
import Primitives

/// A change that a page of the dashboard offers: one operation of the Management API, with a form for members of its
/// body.
struct DashboardAction: Sendable {
    /// Page after the change.
    enum Outcome: Sendable {
        /// The object's page, or the list if the object is gone.
        case object
        case list
        /// The page of an object that was created, by the member of the answer that has its id.
        case created(String)
        /// A page from the answer, which is shown once: secrets and links.
        case shown(@Sendable (JSONValue, DashboardVisit) -> [DashboardBlock])
    }

    /// Part of the path, up to a colon that an item may follow: `remove-role:rol_1`.
    let part: String
    let title: LocalizedText
    /// Explains the change, if its name does not say it.
    var lead: LocalizedText?
    let operation: String
    /// Operation that answers with the object as it is. Nil begins with an empty form.
    var current: String?
    /// State besides that object on which the change depends, such as keys that it replaces.
    var state: @Sendable (DashboardVisit) async throws -> JSONValue = { _ in .null }
    /// Members of the body in the form, in their order. Nil are all.
    var members: @Sendable (DashboardVisit) -> [String]? = { _ in nil }
    /// Values of the path's parameters. The default is the object's id.
    var values: @Sendable (DashboardVisit) -> [String] = { [$0.path.object ?? ""] }
    /// Members that are not in the form.
    var fixed: @Sendable (DashboardVisit) -> JSONObject = { _ in [:] }
    /// The form, if it is not that of the operation's body. Then `compose` makes the body's members from it.
    var form: Shape?
    var compose: @Sendable (JSONObject) -> JSONObject = { $0 }
    var outcome: Outcome = .object
    /// True asks for a recent proof of the person: everything but what harms nobody.
    var isGuarded = true
    /// Blocks of the page before the change that show how the members of the form would look at the object as it is.
    var preview: @Sendable (_ body: JSONObject, _ current: JSONObject, DashboardVisit) -> [DashboardBlock] = {
        _, _, _ in []
    }
    /// True for what cannot be undone.
    var isFinal = false
}

extension DashboardVisit {
    /// Name of the action in the path.
    var actionName: String { String(path.actionName) }

    /// The thing of an object that an action is about. Empty if there is none.
    var item: String {
        guard let part = path.part, let colon = part.firstIndex(of: ":") else { return "" }
        return String(part[part.index(after: colon)...])
    }
}

extension DashboardPath {
    /// Name of an action: `new` for a new object, otherwise the part up to a colon.
    var actionName: Substring {
        guard let part else { return object.map { $0 == Self.new ? "new" : "" } ?? "" }
        return part.prefix { $0 != ":" }
    }

    /// In the place of an object's id: the form of a new one.
    static let new = "new"
}
