package import AuthorizationCore
import JSONSchema
import Primitives

extension Tenant: Described {
    /// Reads a tenant without its objects. Nil if a problem leaves no tenant.
    package init?(_ fields: DocumentFields) {
        let id = fields.requiredString("id", limit: 64)
        let name = fields.requiredString("name")
        let host = fields.requiredString("host")
        let domains = fields.strings("custom_domains") ?? []
        let settings = fields.object("settings").map(TenantSettings.init) ?? TenantSettings()
        if let id, !id.utf8.allSatisfy({ Self.isNameByte($0) }) {
            fields.problem("id", "may hold a–z, 0–9, - and _")
        }
        var hosts: [String] = []
        for (place, text) in [("host", host)] + domains.map({ ("custom_domains", Optional($0)) }) {
            guard let text else { continue }
            guard Self.isAuthority(text) else {
                fields.problem(place, "\(text) is no host name with an optional port")
                continue
            }
            hosts.append(Tenant.normalized(authority: text))
        }
        guard let id, let name, !hosts.isEmpty else { return nil }
        self.init(id: TenantID(id), name: name, hosts: hosts, settings: settings)
    }

    package static let fields = Fields<Tenant> {
        Field.key("id", .text(1...64), "a–z, 0–9, - and _") { $0.id.rawValue }.option
        Field.key("name", .text(), "Shown to people") { $0.name }.option
        Field.key("host", .text(), "Host name with an optional port. The issuer for requests to it is `https://HOST/`")
        {
            $0.hosts.first ?? ""
        }.option
        Field(
            "custom_domains", protects: .covered(.identity), .list(.text()), words: "list of texts",
            "Further hosts of this tenant; the issuer for requests to one of them is `https://` followed by that host",
            write: { if $0.hosts.count > 1 { $1["custom_domains"] = JSONValue(Array($0.hosts.dropFirst())) } })
        Field(
            "settings", protects: .nothing, .anyObject, words: "object, see below",
            write: { $1["settings"] = .object($0.settings.document) }
        ).preset("every default")
        for list in ["apis", "roles", "users", "clients", "connections"] {
            Field(list, protects: .nothing, .list(.anyObject), words: "list of objects, see below").preset("empty")
        }
        for (service, text) in [
            ("push", "Credentials at push services"), ("email_provider", "Service that sends the tenant's mails"),
            ("email_templates", "Texts of mails, by their names"),
        ] {
            Field(service, protects: .nothing, .anyObject, words: "object, see below", text)
        }
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }

    private static func isAuthority(_ text: String) -> Bool {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), !parts[0].isEmpty else { return false }
        if parts.count == 2 {
            guard let port = UInt16(parts[1]), port > 0 else { return false }
        }
        return parts[0].utf8.allSatisfy { byte in
            isNameByte(byte | 0x20) || byte == UInt8(ascii: ".") || isNameByte(byte)
        }
    }
}
