import AuthorizationCore
import Configuration
import Primitives

/// A folder that Auth0's deploy CLI exported with `--format=directory`.
package struct Auth0Export {
    /// Objects with their kinds, each in a file of its own unless noted.
    struct Contents {
        var tenant: ForeignObject?
        var branding: ForeignObject?
        var clients: [Auth0Client] = []
        var apis: [ForeignObject] = []
        var grants: [ForeignObject] = []
        var roles: [ForeignObject] = []
        var connections: [ForeignObject] = []
        var databases: [ForeignObject] = []
        var templates: [ForeignObject] = []
        var emailProvider: ForeignObject?
        var policies: ForeignObject?
        var factors: [ForeignObject] = []
        var bruteForce: ForeignObject?
        /// Elements of one file.
        var domains: [ForeignObject] = []
    }

    /// Stands for the folder in failures about it as a whole.
    package static let folder = "the folder"

    let contents: Contents
    let ledger = MoveLedger()
    /// Texts of mails by path.
    let texts: [String: String]
    let host: String

    /// `clients` is Auth0's own list of clients, with ids and secrets.
    package init(
        _ files: [ForeignFile], clients list: ForeignFile? = nil, keywords: Auth0Keywords = Auth0Keywords(),
        into target: MoveTarget
    ) throws(ForeignFailure) {
        host = target.host
        let files = files.sorted { $0.path < $1.path }
        guard files.contains(where: { $0.path.hasSuffix(".json") }) else {
            let isYAML = files.contains { $0.path.hasSuffix(".yaml") || $0.path.hasSuffix(".yml") }
            throw ForeignFailure(
                file: isYAML ? files.first?.path ?? Self.folder : Self.folder, path: "",
                isYAML
                    ? "is YAML, which is not read; export again with a0deploy export --format=directory"
                    : "is no export of Auth0's deploy CLI: there is no JSON file; see docs/moving.md")
        }
        var known = try list.map { (file) throws(ForeignFailure) in try Auth0ClientList(file) } ?? Auth0ClientList()
        for client in target.stored?.clients ?? [] { known.here[client.id.rawValue] = client.name }
        var contents = Contents()
        var texts: [String: String] = [:]
        for file in files {
            if file.path.hasSuffix(".html") {
                guard let text = String(validating: file.bytes, as: UTF8.self) else {
                    throw ForeignFailure(file: file.path, path: "", "is not UTF-8; save it so")
                }
                texts[file.path] = keywords.replaced(text)
            }
            if file.path.hasSuffix(".json") {
                guard let text = String(validating: file.bytes.withoutByteOrderMark, as: UTF8.self) else {
                    throw ForeignFailure(file: file.path, path: "", "is not UTF-8; save it so")
                }
                try Self.sort(
                    try file.json(Array(keywords.replaced(text).utf8)), of: file, into: &contents, known, ledger)
            } else {
                Self.leave(file, ledger)
            }
        }
        self.contents = contents
        self.texts = texts
    }

    private static func object(
        _ value: JSONValue, _ kind: String, of file: ForeignFile, _ ledger: MoveLedger, place: String = ""
    ) throws(ForeignFailure) -> ForeignObject {
        let name =
            value["name"]?.stringValue ?? value["identifier"]?.stringValue ?? value["domain"]?.stringValue
            ?? value["template"]?.stringValue ?? file.path
        let subject = MoveReport.Subject(kind: kind, name: name, file: file.path)
        return try ForeignObject(value, SubjectAccount(subject, ledger), place: place)
    }

    private static func sort(
        _ value: JSONValue, of file: ForeignFile, into contents: inout Contents, _ known: Auth0ClientList,
        _ ledger: MoveLedger
    ) throws(ForeignFailure) {
        func one(_ kind: String) throws(ForeignFailure) -> ForeignObject { try object(value, kind, of: file, ledger) }
        let parts = file.path.split(separator: "/").map(String.init)
        switch (parts.first ?? "", parts.dropFirst().joined(separator: "/")) {
        case ("tenant.json", ""): contents.tenant = try one("tenant")
        case ("branding", "branding.json"): contents.branding = try one("branding")
        case ("clients", _): contents.clients.append(try Auth0Client(one("client"), known))
        case ("resource-servers", _): contents.apis.append(try one("API"))
        case ("grants", _): contents.grants.append(try one("client grant"))
        case ("roles", _): contents.roles.append(try one("role"))
        case ("connections", _): contents.connections.append(try one("connection"))
        case ("database-connections", _): contents.databases.append(try one("database"))
        case ("emails", "provider.json"): contents.emailProvider = try one("e-mail provider")
        case ("emails", _): contents.templates.append(try one("e-mail template"))
        case ("guardian", "policies.json"): contents.policies = try one("factor policy")
        case ("guardian", let name) where name.hasPrefix("factors/"): contents.factors.append(try one("factor"))
        case ("attack-protection", "brute-force-protection.json"):
            contents.bruteForce = try one("brute-force protection")
        case ("custom-domains", _):
            guard let list = value.arrayValue else {
                throw ForeignFailure(file: file.path, path: "", "must be a list, not \(value.kindInWords)")
            }
            for (index, element) in list.enumerated() {
                contents.domains.append(
                    try object(element, "custom domain", of: file, ledger, place: "[\(index)]"))
            }
        default: leave(file, ledger)
        }
    }

    /// Files whose objects do not exist here.
    private static func leave(_ file: ForeignFile, _ ledger: MoveLedger) {
        let folder = file.path.split(separator: "/").first.map(String.init) ?? file.path
        // Scripts and texts beside an object belong to its line, or to the mail.
        if folder == "emails" || folder == "database-connections" || folder == "clients" { return }
        let subject = MoveReport.Subject(kind: folder, name: file.path, file: file.path)
        ledger.absent(subject, "", Self.instead[folder] ?? "there is no such object here", isIdle: false)
    }

    private static let instead = [
        "actions": "no code runs at a login here; put claims in app_metadata, and decisions in the application",
        "action-modules": "no code runs at a login here",
        "triggers": "no code runs at a login here",
        "rules": "no code runs at a login here; put claims in app_metadata, and decisions in the application",
        "rules-configs": "no code runs at a login here",
        "hooks": "no code runs here; grants say which scopes a client gets",
        "pages": "pages are the server's own, with the tenant's colour and logo",
        "prompts": "pages have texts of their own in English, German and French",
        "themes": "pages have the tenant's colour and logo",
        "branding": "pages have the tenant's colour and logo",
        "organizations": "there are no organizations; use a tenant for each, or app_metadata",
        "log-streams": "follow the log with countersign log tail --json",
        "phone-providers": "no text messages are sent; phones approve, and mails have links",
        "phone-templates": "no text messages are sent",
        "guardian": "phones enrol by web app or Guardian SDK, without text messages",
        "attack-protection": "brute force is limited by the tenant's settings, and passwords by their length",
        "forms": "there are no forms", "flows": "there are no flows", "flow-vault-connections": "there are no flows",
        "event-streams": "follow the log with countersign log tail --json",
        "network-acls": "limit networks in the proxy or firewall",
        "rate-limit-policies": "limits are the tenant's settings",
    ]
}

/// Auth0's list of clients, by which ids and secrets come that the export leaves out.
struct Auth0ClientList {
    struct Known {
        let id: String
        let secret: String?
    }

    private var names: [String: [Known]] = [:]
    /// Names of the clients that the tenant has here, by their ids.
    var here: [String: String] = [:]

    init() {}

    init(_ file: ForeignFile) throws(ForeignFailure) {
        let value = try file.json()
        guard let list = value.arrayValue ?? value["clients"]?.arrayValue else {
            throw ForeignFailure(file: file.path, path: "", "must be a list of clients, not \(value.kindInWords)")
        }
        for (index, element) in list.enumerated() {
            let subject = MoveReport.Subject(kind: "client", name: "", file: file.path)
            let client = try ForeignObject(element, SubjectAccount(subject, MoveLedger()), place: "[\(index)]")
            names[try client.required("name"), default: []].append(
                Known(id: try client.required("client_id"), secret: try client.secret("client_secret")))
        }
    }

    /// The client of that name. Several of one name are told apart by their id alone.
    func known(name: String, id: String?) -> Known? {
        let same = names[name] ?? []
        if let id { return same.first { $0.id == id } }
        return same.count == 1 ? same[0] : nil
    }
}
