import Audit
import Primitives
import Terminal

/// Audit entries as table rows.
struct LogColumns {
    /// Adds a column for the tenant.
    private let showsTenant: Bool
    /// Widths of the widest cells so far.
    private var widths: [Int]

    init(_ scope: LogScope) {
        showsTenant = scope == .allTenants
        widths = Self.headings(showsTenant).map { Text($0).width }
    }

    private static func headings(_ showsTenant: Bool) -> [String] {
        ["ID", "TIME"] + (showsTenant ? ["TENANT"] : []) + ["TYPE", "ACTOR", "CLIENT", "OBJECT", "ADDRESS"]
    }

    mutating func table(_ records: [LogRecord]) -> Table {
        let rows = records.map { $0.cells(showsTenant) }
        for row in rows { widen(row) }
        return Table(Self.headings(showsTenant), rows: rows)
    }

    /// A row aligned with the table.
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
    /// The person or program that acted.
    private var actorName: String {
        switch actor {
        case .client(let id): id.rawValue
        case .account(let name): name
        case .person(let id): userName ?? id.rawValue
        case .system: "system"
        case nil: userName ?? entry.user ?? entry.client ?? ""
        }
    }

    /// The changed object, or the request that the entry belongs to.
    private var objectName: String {
        if let kind = entry.objectKind { return "\(kind) \(entry.object ?? "")" }
        return entry.consent ?? entry.device ?? (actor == nil ? "" : entry.user ?? "")
    }

    fileprivate func cells(_ showsTenant: Bool) -> [Text] {
        [Text(id.description, .dim), Text(entry.at.iso8601)] + (showsTenant ? [Text(entry.tenant)] : []) + [
            Text(entry.kind, kind?.style), Text(actorName), Text(entry.client ?? ""), Text(objectName),
            Text(entry.remoteAddress ?? ""),
        ]
    }
}

extension AuditEvent.Kind {
    fileprivate var style: Style? {
        switch self {
        case .approved, .exchanged, .multiFactorSucceeded, .recoveryCodeUsed: .green
        case .rejected, .reported, .wrongNumber, .backchannelStartFailed, .exchangeFailed, .consentFetchFailed,
            .notificationFailed, .enrollmentFailed, .passkeyRefused, .changeRefused, .rateLimited, .loginFailed,
            .wrongPassword, .unknownUser,
            .accountBlocked, .addressBlocked, .signUpFailed, .codeRefused, .refreshTokenRefused, .refreshTokenReused,
            .clientCredentialsRefused, .pushedRequestRefused, .requestTampered, .multiFactorFailed,
            .backchannelLogoutFailed, .recoveryCodeRefused, .moveRefused, .oldServerFailed:
            .red
        case .expired, .cancelled, .superseded, .rerouted, .undelivered, .configurationApplied, .changed, .keyRotated,
            .keyRevoked:
            .yellow
        default: nil
        }
    }
}
