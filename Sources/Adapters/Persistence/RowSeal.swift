import AuthorizationCore
import Configuration
import SQL

/// Columns of a table that a MAC under the master key binds. The MAC is in the row's column `seal`.
///
/// Every such table is here, so that an exchange of the master key and an operator's check miss none. Sealed columns
/// authenticate themselves and are not bound again.
package struct RowSeal: Sendable {
    /// Rows of another table that belong to the row. Their absence would weaken it, so the row's MAC binds all of them.
    package struct Part: Sendable {
        package let table: StaticString
        package let columns: StaticString
        let condition: String
    }

    package let table: String
    /// Bound columns as SQL. A query reads them in this order, followed by `seal`.
    let list: StaticString
    /// Bound columns.
    package let columns: [String]
    /// Columns that identify the row.
    let key: [String]
    /// Bound columns that name the row to an operator.
    let name: [String]
    package let part: Part?

    private init(
        _ table: StaticString, _ list: StaticString, key: [String] = ["sequence"], name: [String], part: Part? = nil
    ) {
        self.table = table.description
        self.list = list
        columns = list.description.split(separator: ",").map { name in
            name.filter { !$0.isWhitespace && $0 != "\"" }
        }
        self.key = key
        self.name = name
        self.part = part
    }

    static let tenant = RowSeal(
        "tenant", "id, document", key: ["id"], name: ["id"],
        // Without its settings, a tenant demands less. Without its connections, it has the default database.
        part: Part(
            table: "configuration_object", columns: "kind, id, document",
            condition: "kind NOT IN (\(independentKinds.map { "'\($0.rawValue)'" }.joined(separator: ", ")))"))
    /// Kinds of objects whose absence takes rights away. A tenant's seal binds the others, which demand something.
    static let independentKinds: [TenantDocument.Kind] = [.client, .resourceServer, .role]
    static let object = RowSeal(
        "configuration_object", "tenant, kind, id, document, secret_hashes", key: ["tenant", "kind", "id"],
        name: ["kind", "tenant", "id"])
    static let signingKey = RowSeal(
        "signing_key",
        """
        tenant, id, algorithm, status, public_key, certificate, created_at, changed_at, current_since, current_until
        """, key: ["tenant", "id"], name: ["tenant", "id"])
    static let login = RowSeal(
        "authorization_transaction",
        "hash, tenant, client, page, browser_hash, parameters, progress, created_at, expires_at, revision",
        name: ["tenant", "client"])
    static let pushedRequest = RowSeal(
        "pushed_request", "hash, tenant, client, parameters, expires_at", name: ["tenant", "client"])
    static let session = RowSeal(
        "session",
        """
        hash, id, tenant, "user", auth_time, methods, connection, created_at, expires_at, auth_time_known,
        access_endings, second_factor_at
        """, name: ["tenant", "id"])
    static let recoveryCode = RowSeal(
        "recovery_code", #"tenant, "user", hash, created_at"#, key: ["tenant", "user", "hash"],
        name: ["tenant", "user"])
    static let consent = RowSeal(
        "consent_grant", #"tenant, "user", client, audience, scope, created_at, updated_at"#,
        key: ["tenant", "user", "client", "audience"], name: ["tenant", "user", "client"])
    static let code = RowSeal(
        "authorization_code",
        """
        hash, authorization_id, tenant, client, "user", scope, audience, authorization_details, auth_time, methods,
        context_class, session, approval, redirect_uri, code_challenge, nonce, created_at, expires_at
        """, name: ["tenant", "authorization_id"])
    static let refreshTokens = RowSeal(
        "refresh_token_family",
        """
        hash, authorization_id, tenant, client, "user", scope, audience, authorization_details, auth_time, methods,
        context_class, session, approval, created_at, expires_at, certificate_hash
        """, name: ["tenant", "authorization_id"])

    package static let all = [
        tenant, object, signingKey, login, pushedRequest, session, recoveryCode, consent, code, refreshTokens,
    ]

    /// Input of the MAC.
    func bytes(_ values: some Sequence<SQLValue>) -> [UInt8] { SQLValue.bytes(of: values, in: table) }

    /// Bound values of the current row, from column 0.
    func values(_ row: borrowing Row) throws -> [SQLValue] { try row.values(columns.count) }

    /// The text of a bound column. Nil for a column of another type.
    func text(_ column: String, of values: [SQLValue]) -> String? {
        guard let index = columns.firstIndex(of: column), case .text(let text) = values[index] else { return nil }
        return text
    }

    /// Table and name of the row. The name of an object begins with its kind, which says more than its table.
    func place(_ values: [SQLValue]) -> String {
        ((name.first == "kind" ? [] : [table]) + name.map { text($0, of: values) ?? "?" }).joined(separator: " ")
    }
}

extension SQLValue {
    /// One form of a row for every engine. Types and lengths keep different rows apart.
    static func bytes(of values: some Sequence<SQLValue>, in table: String) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(512)
        func add(_ tag: UInt8, _ content: some Collection<UInt8>) {
            bytes.append(tag)
            withUnsafeBytes(of: UInt64(content.count).bigEndian) { bytes.append(contentsOf: $0) }
            bytes.append(contentsOf: content)
        }
        add(0, table.utf8)
        for value in values {
            switch value {
            case .null: add(1, EmptyCollection())
            case .integer(let number): withUnsafeBytes(of: number.bigEndian) { add(2, $0) }
            case .real(let number): withUnsafeBytes(of: number.bitPattern.bigEndian) { add(3, $0) }
            case .text(let text): add(4, text.utf8)
            case .blob(let content): add(5, content)
            }
        }
        return bytes
    }
}

extension Row {
    /// The first `count` values.
    func values(_ count: Int) throws -> [SQLValue] {
        var values: [SQLValue] = []
        values.reserveCapacity(count)
        for column in 0..<count { values.append(try value(column)) }
        return values
    }
}
