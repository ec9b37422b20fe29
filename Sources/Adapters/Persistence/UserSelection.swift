import Administration
import AuthorizationCore
import SQL

/// Runs one search on a connection's snapshot.
struct UserSelection {
    private let search: UserSearch
    private let tenant: TenantID
    private let connection: any Connection
    private let condition: SQLFragment

    init(_ search: UserSearch, tenant: TenantID, _ connection: any Connection) {
        self.search = search
        self.tenant = tenant
        self.connection = connection
        let compiler = UserCondition(tenant: tenant, dialect: connection.dialect)
        condition = "p.tenant = \(tenant) AND \(compiler.condition(search.query))"
    }

    func result() throws -> UserSearchResult {
        let size: Int
        let found: [Place]
        switch search.part {
        case .page(let first, let count):
            size = count
            found = try page(first: first, count: count + 1)
        case .following(let cursor, let count):
            size = count
            found = try following(cursor, count: count + 1)
        }
        let shown = found.prefix(size)
        let users = try shown.map { place in
            guard let record = try Store.record(of: place.user, tenant: tenant, connection) else {
                throw CorruptRow(what: "a profile without a user")
            }
            return record
        }
        let next = found.count > size ? shown.last : nil
        return UserSearchResult(
            users: users, total: search.countsTotal ? try count() : nil,
            next: next.map { UserSearchCursor(sort: search.sort, key: $0.key, sequence: $0.sequence) })
    }

    /// Position of a user in the order.
    private struct Place {
        let user: UserID
        let sequence: Int64
        let key: UserSearchCursor.Key
    }

    /// Users with the sort field come before those without. Each half has an index order of its own.
    private enum Half: CaseIterable { case present, absent }

    private var column: SQLFragment { "\(raw: search.sort.map { UserCondition.column($0.field) } ?? "p.sequence")" }

    private func half(_ half: Half) -> SQLFragment {
        switch half {
        case .present: "\(condition) AND \(column) IS NOT NULL"
        case .absent: "\(condition) AND \(column) IS NULL"
        }
    }

    private func page(first: Int, count: Int) throws -> [Place] {
        guard search.sort != nil else { return try places(condition, skipping: first, count: count) }
        let present = try places(half(.present), skipping: first, count: count)
        if present.count == count { return present }
        let before = present.isEmpty && first > 0 ? try self.count(half(.present)) : first + present.count
        return present
            + (try places(half(.absent), keyed: false, skipping: max(0, first - before), count: count - present.count))
    }

    private func following(_ cursor: UserSearchCursor?, count: Int) throws -> [Place] {
        guard let cursor else { return try page(first: 0, count: count) }
        let isDescending = search.sort?.isDescending == true
        let later: SQLFragment = "p.sequence \(raw: isDescending ? "<" : ">") \(cursor.sequence)"
        guard search.sort != nil else { return try places("\(condition) AND \(later)", skipping: 0, count: count) }
        let key: SQLValue
        switch cursor.key {
        case .absent: return try places("\(half(.absent)) AND \(later)", keyed: false, skipping: 0, count: count)
        case .text(let text): key = .text(text)
        case .integer(let number): key = .integer(number)
        }
        // The first comparison uses the index, the second handles equal keys.
        let operation = isDescending ? "<" : ">"
        let after: SQLFragment =
            "\(column) \(raw: operation)= \(key) AND (\(column) \(raw: operation) \(key) OR \(later))"
        let present = try places("\(condition) AND \(after)", skipping: 0, count: count)
        if present.count == count { return present }
        return present + (try places(half(.absent), keyed: false, skipping: 0, count: count - present.count))
    }

    /// - Parameter keyed: true if the rows have the sort field.
    private func places(
        _ condition: SQLFragment, keyed: Bool = true, skipping first: Int, count: Int
    ) throws -> [Place] {
        let direction = search.sort?.isDescending == true ? "DESC" : "ASC"
        var order: SQLFragment = "p.sequence \(raw: direction)"
        if keyed, search.sort != nil { order = "\(column) \(raw: direction), \(order)" }
        let statement: Statement = """
            SELECT p."user", p.sequence, \(column) FROM user_profile p WHERE \(condition)
            ORDER BY \(order) LIMIT \(count) OFFSET \(first)
            """
        return try connection.query(statement) { row in
            Place(user: try row.id(0), sequence: try row.int64(1), key: keyed ? try key(row) : .absent)
        }
    }

    private func key(_ row: borrowing Row) throws -> UserSearchCursor.Key {
        switch search.sort?.field {
        case nil: .absent
        case .text: .text(try row.text(2))
        case .time, .number, .flag: .integer(try row.int64(2))
        }
    }

    private func count(_ condition: SQLFragment? = nil) throws -> Int {
        try connection.first("SELECT count(*) FROM user_profile p WHERE \(condition ?? self.condition)") {
            try $0.int(0)
        } ?? 0
    }
}
