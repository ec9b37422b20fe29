import ManagementAPI
import OAuthWire
import Pages
import Primitives

/// Names of the people of a page, by one call for all of them. Users who are gone have their ids, and so
/// have all if the scopes do not allow to see users.
struct PersonNames: Sendable {
    /// Octets of the query, which the API limits.
    private static let limit = 4096

    private var names: [String: String] = [:]

    init(_ ids: [String], _ visit: DashboardVisit) async throws {
        var terms: [String] = []
        var size = 0
        for id in Set(ids).sorted() {
            let term = "user_id:\"\(id.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
            size += term.utf8.count + Self.separator.utf8.count
            guard size <= Self.limit else { break }
            terms.append(term)
        }
        guard !terms.isEmpty else { return }
        let query = [
            ("q", terms.joined(separator: Self.separator)), ("per_page", String(terms.count)),
            ("fields", "user_id,name,email,username"),
        ]
        let users = try await visit.ifAllowed("list_users", query: query)?.arrayValue ?? []
        for user in users {
            if let id = user["user_id"]?.stringValue { names[id] = UserList.name(of: user) }
        }
    }

    private static let separator = " OR "

    /// The person's name, which leads to the page of the person if the scopes allow it.
    func link(_ id: JSONValue?, _ visit: DashboardVisit) -> [DashboardBlock.Inline] {
        id?.stringValue.map { [visit.linked(.theirs(names[$0] ?? $0), .users, $0)] } ?? []
    }
}
