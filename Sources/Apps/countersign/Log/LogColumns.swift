import Audit
import Primitives
import Terminal

/// Audit entries as table rows.
struct LogColumns {
    /// Adds a column for the tenant.
    private let showsTenant: Bool
    /// Widths of the widest cells so far.
    private var widths: [Int]

    init(showsTenant: Bool) {
        self.showsTenant = showsTenant
        widths = Self.headings(showsTenant).map { Text($0).width }
    }

    private static func headings(_ showsTenant: Bool) -> [String] {
        ["ID", "TIME"] + (showsTenant ? ["TENANT"] : []) + ["TYPE", "ACTOR", "CLIENT", "OBJECT", "ADDRESS"]
    }

    mutating func table(_ entries: [JSONObject]) -> Table {
        let rows = entries.map { $0.cells(showsTenant) }
        for row in rows { widen(row) }
        return Table(Self.headings(showsTenant), rows: rows)
    }

    /// A row aligned with the table.
    mutating func line(_ entry: JSONObject) -> Text {
        let cells = entry.cells(showsTenant)
        widen(cells)
        return zip(cells, widths).dropLast().reduce("") { line, column in
            let (cell, width) = column
            return line + cell + Text(String(repeating: " ", count: width - cell.width + 2))
        } + (cells.last ?? "")
    }

    private mutating func widen(_ cells: [Text]) { widths = zip(widths, cells).map { max($0, $1.width) } }
}

/// The Management API's document of an entry.
extension JSONObject {
    private func text(_ name: String) -> String? { self[name]?.stringValue }

    private func detail(_ name: String) -> String? { self["details"]?[name]?.stringValue }

    private var actor: AuditEvent.Actor? { detail("actor").flatMap(AuditEvent.Actor.init(rawValue:)) }

    /// The person or program that acted.
    private var actorName: String {
        switch actor {
        case .client(let id): id.rawValue
        case .account(let name): name
        case .person(let id): text("user_name") ?? id.rawValue
        case .system: "system"
        case nil: text("user_name") ?? text("user_id") ?? text("client_id") ?? ""
        }
    }

    /// The changed object, or the request that the entry belongs to.
    private var objectName: String {
        if let object = self["details"]?["object"], let kind = object["kind"]?.stringValue {
            return "\(kind) \(object["id"]?.stringValue ?? "")"
        }
        return detail("transaction_linking_id") ?? detail("device_id") ?? (actor == nil ? "" : text("user_id") ?? "")
    }

    fileprivate func cells(_ showsTenant: Bool) -> [Text] {
        let kind = text("type") ?? ""
        return [Text(text("log_id") ?? "", .dim), Text(text("date") ?? "")]
            + (showsTenant ? [Text(text("tenant_name") ?? "")] : []) + [
                Text(kind, AuditEvent.Kind(rawValue: kind)?.style), Text(actorName), Text(text("client_id") ?? ""),
                Text(objectName), Text(text("ip") ?? ""),
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
