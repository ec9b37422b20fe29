import CountersignServer
import Primitives
import Terminal

/// A server setting, declared once for its option, environment variable, key in the configuration file, help text and
/// row in docs/configuration.md.
struct Setting: Sendable {
    /// Key in the configuration file. The option has hyphens instead of underscores, the variable capitals.
    let key: String
    let declaration: OptionDeclaration
    /// Description without range and default.
    let purpose: String
    /// Unit and range.
    let allowed: String
    /// Sets the value from the option, the environment variable or the file, whichever comes first.
    let take: @Sendable (Invocation, SettingsFile?, inout ServerChoices) throws(UsageError) -> Void

    init<Value: Sendable>(
        _ name: String, _ form: SettingForm<Value>, _ place: any WritableKeyPath<ServerChoices, Value> & Sendable,
        _ purpose: String
    ) {
        let key = name.replacing("-", with: "_")
        let option = Option<Value?>.optional(
            name, form.kind, environment: "COUNTERSIGN_\(key.uppercased())",
            defaultText: form.kind.spell(ServerChoices()[keyPath: place]), "\(purpose) (\(form.allowed))")
        self.key = key
        self.purpose = purpose
        allowed = form.allowed
        declaration = option.declaration
        take = { (invocation, file, choices) throws(UsageError) in
            if let value = try invocation[option] {
                choices[keyPath: place] = value
            } else if let value = try file?.value(key, form) {
                choices[keyPath: place] = value
            }
        }
    }
}

extension Setting {
    /// A setting that may be left unset. `unset` describes the default.
    init<Value: Sendable>(
        _ name: String, _ form: SettingForm<Value>, unset: String,
        _ place: any WritableKeyPath<ServerChoices, Value?> & Sendable, _ purpose: String
    ) {
        self.init(name, form.optional(unset: unset), place, purpose)
    }
}

/// Values of settings before they are combined.
struct ServerChoices: Sendable {
    enum TLS: String, Sendable, CaseIterable { case local, files, off }

    var settings = ServerSettings()
    var tls = TLS.local
    var tlsCertificate: String?
    var tlsKey: String?
    var smtpURL: String?
    var smtpUser: String?
    var smtpPasswordFile: String?
    var mailFrom: String?
    var mailFolder: String?
}

/// The JSON configuration file, an object whose members are settings.
struct SettingsFile: Sendable {
    private let path: String
    private let object: JSONObject

    init(path: String) throws(UsageError) {
        self.path = path
        let value: JSONValue
        do {
            value = try JSONReader.parse(readFile(path))
        } catch let failure as JSONReader.Failure {
            throw UsageError("\(path): \(failure.text)")
        } catch {
            throw UsageError(
                (error as? CommandFailure)?.message ?? "\(error)",
                hint: "--config or COUNTERSIGN_CONFIG names the configuration file")
        }
        guard let object = value.objectValue else { throw UsageError("\(path): must contain one JSON object") }
        self.object = object
        let known = ValueKind<String>.choice(Setting.all.map(\.key))
        for (name, _) in object {
            do {
                _ = try known.parse(name)
            } catch {
                throw UsageError(
                    "\(path): \"\(name)\" is not a setting",
                    hint: error.hint ?? "countersign serve --help lists the settings; keys have _ instead of -")
            }
        }
    }

    /// Its path, if the address of the store in it has a password, also if an option overrides it.
    var holderOfPassword: String? {
        let store = object["store"]?.stringValue.flatMap { try? StoreLocation(parsing: $0) }
        return store?.hasPassword ?? false ? path : nil
    }

    fileprivate func value<Value>(_ key: String, _ form: SettingForm<Value>) throws(UsageError) -> Value? {
        guard let value = object[key] else { return nil }
        guard let text = form.text(value) else {
            throw UsageError("\(path): \(key) must be \(form.jsonType), not \(JSONWriter.string(value))")
        }
        do {
            return try form.kind.parse(text)
        } catch {
            let given = form.kind.isSecret ? "" : ", not \(JSONWriter.string(value))"
            throw UsageError("\(path): \(key) \(error.rule)\(given)", hint: error.hint)
        }
    }
}
