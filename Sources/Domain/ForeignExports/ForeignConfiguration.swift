package import Primitives

/// A foreign export in the terms of this server: the parts of a tenant's entry in a file of `apply`, users as documents
/// of a users import, and the report.
package struct ForeignConfiguration {
    /// Part of a tenant's entry, and the object that it comes from.
    struct Part {
        var document: JSONObject
        let subject: MoveReport.Subject

        func text(_ member: String) -> String { document[member]?.stringValue ?? "" }
    }

    /// An object of the export that became grants of a client. Each grant may be dropped later, with its last scope.
    struct Grants {
        let client: String
        let audiences: [String]
        let subject: MoveReport.Subject
    }

    /// Name for a new tenant.
    var name: String?
    var settings = Part(
        document: [:], subject: MoveReport.Subject(kind: "tenant", name: "settings", file: "the export"))
    var customDomains: [String] = []
    var apis: [Part] = []
    var roles: [Part] = []
    var clients: [Part] = []
    var connections: [Part] = []
    var emailProvider: Part?
    /// By the names of the kinds of mail.
    var emailTemplates: [(name: String, part: Part)] = []
    /// Documents as Auth0's import of users has them, with `roles` beside. They hold hashes of passwords.
    package internal(set) var users: [JSONObject] = []
    var grants: [Grants] = []

    let ledger: MoveLedger
    /// How a provider's secret comes along that the export does not have.
    let secretAdvice: String

    init(_ ledger: MoveLedger, secretAdvice: String) {
        self.ledger = ledger
        self.secretAdvice = secretAdvice
    }

    package var report: MoveReport { ledger.lines }

    /// Sets a setting, or one member of a setting that is an object.
    mutating func set(_ setting: String, _ member: String? = nil, to value: JSONValue) {
        guard let member else {
            settings.document[setting] = value
            return
        }
        var object = settings.document[setting]?.objectValue ?? [:]
        object[member] = value
        settings.document[setting] = .object(object)
    }

    mutating func set(_ setting: String, _ member: String? = nil, to value: Int) {
        set(setting, member, to: .number(JSONNumber(value)))
    }

    /// Has the login page name usernames if somebody has one.
    mutating func nameUsers() {
        guard users.contains(where: { $0["username"] != nil }),
            let index = connections.firstIndex(where: { $0.text("strategy") == "auth0" })
        else { return }
        var options = connections[index].document["options"]?.objectValue ?? [:]
        options["requires_username"] = true
        connections[index].document["options"] = .object(options)
        ledger.differs(
            connections[index].subject, "", was: "people with usernames", here: "requires_username",
            "the login page asks for an e-mail address or a username; who signs up there gets no username")
    }
}

enum Names {
    /// A name as an id: ASCII letters and digits in lower case, with a hyphen for each run of other characters. Equal
    /// names have equal ids, so that a second import finds the first one's objects.
    static func id(_ name: String, keeping kept: String = "") -> String {
        var id = ""
        for byte in name.utf8 {
            switch byte {
            case 0x30...0x39, 0x61...0x7A: id.unicodeScalars.append(Unicode.Scalar(byte))
            case 0x41...0x5A: id.unicodeScalars.append(Unicode.Scalar(byte | 0x20))
            case _ where kept.utf8.contains(byte): id.unicodeScalars.append(Unicode.Scalar(byte))
            default: if !id.isEmpty, !id.hasSuffix("-") { id += "-" }
            }
        }
        while id.hasSuffix("-") { id.removeLast() }
        return id.isEmpty ? Hex.encode(Array(name.utf8.prefix(16))) : id
    }
}

extension Int {
    func clamped(_ range: ClosedRange<Int>) -> Int { Swift.min(Swift.max(self, range.lowerBound), range.upperBound) }
}
