import HTTPModel
import JSONSchema
import Localization
import ManagementAPI
import OAuthWire
import Pages
import Primitives

/// The list of users, and the search in it.
enum UserList {
    private static let query = "q"
    private static let pageSize = 50
    private static let members = [
        "user_id", "name", "email", "username", "last_login", "blocked", "email_verified", "email_bounced_at",
    ]

    private static var texts: Localized<Texts.Dashboard.Users> { localized.dashboard.users }

    @Sendable static func show(_ visit: DashboardVisit) async throws -> Response {
        let typed = visit.given(query) ?? ""
        var query = [("take", String(pageSize)), ("fields", members.joined(separator: ","))]
        if let words = UserSearch.query(typed) { query.append((Self.query, words)) }
        if let from = visit.given(DashboardVisit.from) { query.append(("from", from)) }
        var problem: LocalizedText?
        var answer: JSONValue = [:]
        do {
            answer = try await visit.answer("list_users", query: query)
        } catch let refusal as ManagementRefusal {
            guard let found = refusal.problems.first(where: { $0.path == Self.query }) else { throw refusal }
            problem = LocalizedText { _ in found.message }
        }
        let field = DashboardField(
            Self.query, .ours(texts.list.search), .search, FieldInput(typed, problem: problem),
            hint: .ours(texts.list.searchHint))
        let rows = (answer["users"]?.arrayValue ?? []).map { row($0, visit) }
        let table = DashboardBlock.table(
            columns: [
                .ours(localized.dashboard.frame.name), .ours(texts.list.email), .ours(texts.list.lastLogin),
                .ours(texts.list.state),
            ], rows: rows, empty: typed.isEmpty ? empty(visit) : [.text(.ours(texts.list.noMatch))])
        return visit.show(
            localized.dashboard.sections.users,
            visit.doneNotice + visit.starting(UserActions.create) + [.search(DashboardSearch(visit.url(.users), field))]
                + (problem == nil ? [table] : []) + visit.pager(answer["next"]?.stringValue))
    }

    private static func empty(_ visit: DashboardVisit) -> [DashboardBlock] {
        [.text(.ours(texts.list.none))] + visit.starting(UserActions.create)
    }

    private static func row(_ user: JSONValue, _ visit: DashboardVisit) -> [[DashboardBlock.Inline]] {
        let id = user["user_id"]?.stringValue ?? ""
        return [
            [.link(.theirs(name(of: user)), visit.url(.users, id))],
            DashboardBlock.Inline.value(user["email"] ?? user["username"]),
            lastLogin(of: user), state(of: user),
        ]
    }

    static func name(of user: JSONValue) -> String {
        ["name", "email", "username", "user_id"].lazy.compactMap { user[$0]?.stringValue }.first ?? ""
    }

    static func lastLogin(of user: JSONValue) -> [DashboardBlock.Inline] {
        user["last_login"].map { DashboardBlock.Inline.value($0) } ?? [.words(.ours(texts.list.never))]
    }

    static func state(of user: JSONValue) -> [DashboardBlock.Inline] {
        if user["blocked"] == true { return [.state(.ours(texts.list.blocked), .bad)] }
        if user["email_bounced_at"] != nil { return [.state(.ours(texts.list.bounced), .bad)] }
        if user["email_verified"] == false { return [.state(.ours(texts.list.unconfirmed), .waiting)] }
        return [.state(.ours(texts.list.active), .good)]
    }
}

/// Words that people type as a query of the Management API. A text that has the syntax of one stays as it is.
enum UserSearch {
    private static let fields = ["name", "given_name", "family_name", "nickname", "email", "username", "user_id"]

    /// Nil for everyone.
    static func query(_ typed: String) -> String? {
        let words = typed.split(whereSeparator: \.isWhitespace).map(String.init)
        guard !words.isEmpty else { return nil }
        if hasSyntax(typed, words) { return typed }
        return words.map { word in
            let start = escaped(word)
            let begins = fields.map { "\($0):\(start)*" }
            // The second and later words of a name.
            return "(\((begins + ["name:*\\ \(start)*"]).joined(separator: " OR ")))"
        }.joined(separator: " AND ")
    }

    private static func hasSyntax(_ text: String, _ words: [String]) -> Bool {
        text.contains { ":\"()[]{}*?\\".contains($0) }
            || words.contains { ["AND", "OR", "NOT", "&&", "||"].contains($0) || "+-!".contains($0.prefix(1)) }
    }

    /// The word without a character that means something in a query.
    private static func escaped(_ word: String) -> String {
        word.reduce(into: "") { text, character in
            let isPlain = !character.isASCII || character.isLetter || character.isNumber
            text += isPlain ? String(character) : "\\\(character)"
        }
    }
}
