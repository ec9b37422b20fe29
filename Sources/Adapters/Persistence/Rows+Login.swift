import AuthorizationCore
import OAuthWire
import Primitives
import SQL

extension GrantedAccess {
    /// Reads `authorization_id` to `approval`, beginning at column `first`.
    init(_ row: borrowing Row, at first: Int) throws {
        self.init(
            id: try row.id(first), tenant: try row.id(first + 1), client: try row.id(first + 2),
            user: try row.id(first + 3), scope: try row.scope(first + 4), audience: try row.text(first + 5),
            authorizationDetails: try row.optionalText(first + 6).map { try JSONValue(stored: $0) },
            authTime: try row.timestamp(first + 7), methods: try row.words(first + 8),
            contextClass: try row.optionalText(first + 9), session: try row.optionalID(first + 10),
            approval: try row.optionalText(first + 11).map { text in
                guard let approval = ApprovedRequest(text) else { throw CorruptRow(what: "approval") }
                return approval
            })
    }
}

extension AuthorizationCode {
    init(_ row: borrowing Row) throws {
        let challenge = try row.optionalText(14).map { text in
            guard let challenge = try? CodeChallenge(parsing: text) else { throw CorruptRow(what: "code_challenge") }
            return challenge
        }
        self.init(
            hash: try row.blob(0), access: try GrantedAccess(row, at: 1), redirectURI: try row.optionalText(13),
            codeChallenge: challenge, nonce: try row.optionalText(15), createdAt: try row.timestamp(16),
            expiresAt: try row.timestamp(17), isRedeemed: try row.bool(19))
    }
}

extension SenderConstraint {
    /// The column `certificate_hash`.
    var certificateHash: [UInt8] {
        switch self {
        case .certificate(let hash): hash
        }
    }
}

extension RefreshTokenFamily {
    /// The bound columns, the seal, and those that an exchange changes.
    static let columns: [StaticString] = [RowSeal.refreshTokens.list, ", seal, counter, rotated_at, idle_expires_at"]
    static let columnCount = 20

    init(_ row: borrowing Row) throws {
        self.init(
            hash: try row.blob(0), access: try GrantedAccess(row, at: 1), counter: try row.int(17),
            rotatedAt: try row.timestamp(18), createdAt: try row.timestamp(13), expiresAt: try row.timestamp(14),
            idleExpiresAt: try row.optionalTimestamp(19),
            constraint: try row.optionalBlob(15).map(SenderConstraint.certificate))
    }
}

extension Session {
    /// The bound columns, the seal, and those that a use changes.
    static let columns: [StaticString] = [
        RowSeal.session.list, ", seal, last_used_at, idle_expires_at, user_agent, address",
    ]

    init(_ row: borrowing Row) throws {
        self.init(
            hash: try row.blob(0), id: try row.id(1), tenant: try row.id(2),
            authentication: Authentication(
                user: try row.id(3), at: try row.timestamp(4), isTimeKnown: try row.bool(9),
                methods: try row.words(5), connection: try row.text(6), accessEndings: try row.int(10),
                secondFactorAt: try row.optionalTimestamp(11)),
            createdAt: try row.timestamp(7), lastUsedAt: try row.timestamp(13), expiresAt: try row.timestamp(8),
            idleExpiresAt: try row.timestamp(14),
            origin: Origin(userAgent: try row.optionalText(15), address: try row.optionalText(16)))
    }
}

extension ConsentGrant {
    init(_ row: borrowing Row) throws {
        self.init(
            tenant: try row.id(0), user: try row.id(1), client: try row.id(2), audience: try row.text(3),
            scope: try row.scope(4), createdAt: try row.timestamp(5), updatedAt: try row.timestamp(6))
    }
}

extension Row {
    /// Words joined by single spaces.
    func words(_ column: Int) throws -> [String] {
        let text = try text(column)
        guard text.utf8.contains(UInt8(ascii: " ")) else { return text.isEmpty ? [] : [text] }
        return text.split(separator: " ").map(String.init)
    }

    func scope(_ column: Int) throws -> ScopeSet { ScopeSet(try words(column)) }
}
