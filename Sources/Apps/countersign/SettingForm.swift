import CountersignServer
import Glibc
import PostgreSQLDriver
import Primitives
import Terminal

/// The notation of a setting's value, as an option's text and as a JSON value.
struct SettingForm<Value: Sendable>: Sendable {
    let kind: ValueKind<Value>
    /// Unit and range, for people.
    let allowed: String
    /// The required JSON type, completing "must be …".
    let jsonType: String
    /// Converts a JSON value to an option's text. Nil means that it has the wrong type.
    let text: @Sendable (JSONValue) -> String?

    private init(
        _ kind: ValueKind<Value>, _ allowed: String, json jsonType: String = "a string",
        text: @escaping @Sendable (JSONValue) -> String? = { $0.stringValue }
    ) {
        self.kind = kind
        self.allowed = allowed
        self.jsonType = jsonType
        self.text = text
    }

    /// A variant for a setting that may be left unset. `unset` describes the default.
    func optional(unset: String) -> SettingForm<Value?> {
        let kind = kind
        let optional = ValueKind<Value?>(
            placeholder: kind.placeholder, choices: kind.choices, isSecret: kind.isSecret, isPath: kind.isPath,
            spell: { $0.map(kind.spell) ?? unset }
        ) { (text) throws(ValueProblem) in try kind.parse(text) }
        return SettingForm<Value?>(optional, allowed, json: jsonType, text: text)
    }
}

/// The literal text of a JSON number, so that `1e3` is refused as it is for options.
private let numberText: @Sendable (JSONValue) -> String? = { value in
    if case .number(let number) = value { number.literal } else { nil }
}

extension SettingForm where Value == String {
    static func path(_ placeholder: String, _ allowed: String) -> SettingForm {
        SettingForm(.path.placeholder(placeholder), allowed)
    }

    static func text(_ placeholder: String, _ allowed: String) -> SettingForm {
        SettingForm(ValueKind.string.placeholder(placeholder), allowed)
    }

    static func url(_ allowed: String) -> SettingForm { text("URL", allowed) }

    /// An address without a slash at its end, to which paths are appended.
    static var secureURL: SettingForm { base(["https"]) }

    /// The same, for a server that may speak without TLS.
    static var anyURL: SettingForm { base(["http", "https"]) }

    private static func base(_ schemes: [String]) -> SettingForm {
        let kind = ValueKind<String>(placeholder: "URL", spell: { $0 }) { (text) throws(ValueProblem) in
            let text = text.hasSuffix("/") ? String(text.dropLast()) : text
            let rest = schemes.lazy.map { "\($0)://" }.first { text.hasPrefix($0) }.map { text.dropFirst($0.count) }
            guard let rest, let host = rest.first, host != "/", !rest.contains(where: { "?#@\\".contains($0) }),
                text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
            else {
                throw ValueProblem(
                    "must be an \(schemes.joined(separator: " or ")) URL without user, query and fragment")
            }
            return text
        }
        return SettingForm(kind, schemes.map { "\($0)://HOST[:PORT][/PATH]" }.joined(separator: " or "))
    }

    static var address: SettingForm {
        let kind = ValueKind<String>(placeholder: "ADDRESS", spell: { $0 }) { (text) throws(ValueProblem) in
            var storage = in6_addr()
            guard inet_pton(AF_INET, text, &storage) == 1 || inet_pton(AF_INET6, text, &storage) == 1 else {
                throw ValueProblem(
                    "must be an IP address", hint: "use 0.0.0.0 to listen on every IPv4 address, or :: for all")
            }
            return text
        }
        return SettingForm(kind, "an IPv4 or IPv6 address")
    }
}

extension SettingForm where Value == StoreLocation {
    static var store: SettingForm {
        // An address may hold a password.
        let kind = ValueKind<StoreLocation>(placeholder: "file|URL", isSecret: true, spell: { $0.name }) {
            (text) throws(ValueProblem) in
            do throws(PostgreSQLAddress.Failure) {
                return try StoreLocation(parsing: text)
            } catch {
                throw ValueProblem(
                    "must be file or an address of PostgreSQL, and it \(error)",
                    hint: "the password may be in PGPASSWORD, or in a file that PGPASSFILE names")
            }
        }
        return SettingForm(kind, "file, or postgres://[USER[:PASSWORD]@]HOST[:PORT]/DATABASE[?OPTION=VALUE&…]")
    }
}

extension SettingForm where Value == [IPNetwork] {
    static var networks: SettingForm {
        let kind = ValueKind<[IPNetwork]>(
            placeholder: "NETWORKS",
            spell: { $0.isEmpty ? "none" : $0.map(\.description).joined(separator: ",") }
        ) { (text) throws(ValueProblem) in
            if text == "none" { return [] }
            var networks: [IPNetwork] = []
            for part in text.split(separator: ",", omittingEmptySubsequences: false) {
                guard let network = IPNetwork(part) else {
                    throw ValueProblem("must be addresses or networks such as 10.0.0.0/8, separated by commas")
                }
                networks.append(network)
            }
            return networks
        }
        return SettingForm(kind, "IP addresses and networks, separated by commas")
    }
}

extension SettingForm where Value == Int {
    static func integer(_ range: ClosedRange<Int>, _ unit: String) -> SettingForm {
        SettingForm(
            .integer(range), "\(unit), \(range.lowerBound) to \(range.upperBound)", json: "a number", text: numberText)
    }
}

extension SettingForm where Value == Double {
    /// A share of all.
    static var share: SettingForm {
        let kind = ValueKind<Double>(placeholder: "SHARE", spell: { String($0) }) { (text) throws(ValueProblem) in
            guard text.utf8.allSatisfy({ $0 != 0x2F && (0x2E...0x39).contains($0) }), let share = Double(text),
                share <= 1
            else {
                throw ValueProblem("must be a number from 0 to 1, such as 0.05")
            }
            return share
        }
        return SettingForm(kind, "0 to 1", json: "a number", text: numberText)
    }
}

extension SettingForm where Value == UInt16 {
    static var port: SettingForm {
        let kind = ValueKind<UInt16>(placeholder: "PORT", spell: { String($0) }) { (text) throws(ValueProblem) in
            guard let port = UInt16(text) else { throw ValueProblem("must be a port from 0 to 65535") }
            return port
        }
        return SettingForm(kind, "0 to 65535; 0 lets the system choose", json: "a number", text: numberText)
    }
}

extension SettingForm where Value == UInt16? {
    static var portOrNone: SettingForm {
        let kind = ValueKind<UInt16?>(placeholder: "PORT|none", spell: { $0.map { String($0) } ?? "none" }) {
            (text) throws(ValueProblem) in
            if text == "none" || text == "0" { return nil }
            guard let port = UInt16(text) else { throw ValueProblem("must be a port from 1 to 65535, or none") }
            return port
        }
        return SettingForm(kind, "1 to 65535; none or 0 turns it off", json: "a number or \"none\"") {
            $0.stringValue ?? numberText($0)
        }
    }
}

extension SettingForm where Value == Duration {
    static func duration(_ range: ClosedRange<Duration>) -> SettingForm {
        SettingForm(
            .duration(range), "\(spellDuration(range.lowerBound)) to \(spellDuration(range.upperBound))",
            json: "a string such as \"30s\"")
    }
}

extension SettingForm where Value: CaseIterable & RawRepresentable, Value.RawValue == String {
    static var choice: SettingForm {
        let words = Value.allCases.map(\.rawValue)
        return SettingForm(.choice(of: Value.self), words.joined(separator: ", "))
    }
}

extension SettingForm where Value == Bool {
    static var onOff: SettingForm {
        let kind = ValueKind<Bool>(placeholder: "on|off", choices: ["on", "off"], spell: { $0 ? "on" : "off" }) {
            (text) throws(ValueProblem) in
            switch text {
            case "on": return true
            case "off": return false
            default: throw ValueProblem("must be on or off")
            }
        }
        return SettingForm(kind, "on, off; in the file true, false", json: "true or false") { value in
            value.boolValue.map { $0 ? "on" : "off" }
        }
    }
}
