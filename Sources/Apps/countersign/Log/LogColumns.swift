import Administration
import Audit
import AuthorizationCore
import Primitives
import Terminal

/// Entries of the log as rows.
struct LogColumns {
    /// Whose entry each is, where entries of all tenants are shown.
    private let showsTenant: Bool
    /// Of the widest cells so far.
    private var widths: [Int]

    init(_ scope: LogScope) {
        showsTenant = scope == .allTenants
        widths = Self.headings(showsTenant).map { Text($0).width }
    }

    private static func headings(_ showsTenant: Bool) -> [String] {
        ["ID", "WHEN"] + (showsTenant ? ["TENANT"] : []) + ["TYPE", "WHO", "CLIENT", "WHAT", "FROM"]
    }

    /// With headings.
    mutating func table(_ records: [LogRecord]) -> Table {
        let rows = records.map { $0.cells(showsTenant) }
        for row in rows { widen(row) }
        return Table(Self.headings(showsTenant).map { Table.Column(Text($0)) }, rows: rows)
    }

    /// A row that follows the table, in its columns.
    mutating func line(_ record: LogRecord) -> Text {
        let cells = record.cells(showsTenant)
        widen(cells)
        return zip(cells, widths).dropLast().reduce("") { line, column in
            let (cell, width) = column
            return line + cell + Text(String(repeating: " ", count: width - cell.width + 2))
        } + (cells.last ?? "")
    }

    private mutating func widen(_ cells: [Text]) { widths = zip(widths, cells).map { max($0, $1.width) } }
}

extension LogRecord {
    /// Who did it: a person or a program, or who administered.
    private var who: String {
        switch actor {
        case .client(let id): id.rawValue
        case .account(let name): name
        case .system: "system"
        case nil: userName ?? entry.user ?? entry.client ?? ""
        }
    }

    /// To what: an object that was changed, or the request that this is part of.
    private var what: String {
        if let kind = entry.objectKind { return "\(kind) \(entry.object ?? "")" }
        return entry.consent ?? entry.device ?? (actor == nil ? "" : entry.user ?? "")
    }

    fileprivate func cells(_ showsTenant: Bool) -> [Text] {
        [Text(id.description, .dim), Text(entry.at.iso8601)] + (showsTenant ? [Text(entry.tenant)] : []) + [
            Text(entry.kind, kind?.style), Text(who), Text(entry.client ?? ""), Text(what),
            Text(entry.remoteAddress ?? ""),
        ]
    }
}

extension AuditEvent.Kind {
    fileprivate var style: Style? {
        switch self {
        case .approved, .exchanged, .multiFactorSucceeded: .green
        case .rejected, .backchannelStartFailed, .exchangeFailed, .consentFetchFailed, .notificationFailed,
            .enrollmentFailed, .changeRefused, .rateLimited, .loginFailed, .wrongPassword, .unknownUser,
            .accountBlocked, .addressBlocked, .signUpFailed, .codeRefused, .refreshTokenRefused, .refreshTokenReused,
            .clientCredentialsRefused, .pushedRequestRefused, .multiFactorFailed, .backchannelLogoutFailed:
            .red
        case .expired, .cancelled, .configurationApplied, .changed, .keyRotated, .keyRevoked: .yellow
        default: nil
        }
    }
}
