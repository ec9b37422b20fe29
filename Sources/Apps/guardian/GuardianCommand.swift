import Guardian
import Localization
import PhoneScreen
import Primitives
import Terminal

/// Makes the way to servers from the file of `--ca`; tests put theirs in its place.
typealias Connect = @Sendable (_ certificateAuthorityFile: String?) -> GuardianConfiguration

/// The command `guardian`: a phone in the terminal.
func guardianCommand(connect plain: @escaping Connect) -> Command {
    let connect: Connect = { file in
        var configuration = plain(file)
        configuration.showsMatchingNumbers = true
        configuration.typesMatchingNumbers = true
        configuration.showsOneTimePasswords = true
        return configuration
    }
    let languages = Language.allCases.map(\.name).joined(separator: ", ")
    return Command(
        "guardian", "A phone in the terminal: shows requests and signs the answers.",
        discussion: """
            Keys and enrolments are kept in one file that only you can read. The keys never leave it; servers get their \
            public halves. Texts for people follow LC_ALL, LC_MESSAGES or LANG, in \(languages).
            """,
        version: Release.title("guardian"),
        examples: [
            Command.Example("enrol with the code of a QR code", "guardian enroll 'otpauth://totp/…' --ca ca.pem"),
            Command.Example("be asked about each request", "guardian watch"),
            Command.Example("allow the request whose application shows 42", "guardian allow --number 42"),
            Command.Example("show the digits that a login page asks for", "guardian code"),
        ],
        subcommands: [
            enrollCommand(connect), watchCommand(connect), pendingCommand(connect), allowCommand(connect),
            rejectCommand(connect), reportCommand(connect), historyCommand(connect), receiptCommand(connect),
            quietHoursCommand(connect), phonesCommand(connect), codeCommand(), devicesCommand(),
            renameCommand(connect), unenrollCommand(connect),
            .completions(of: "guardian") { guardianCommand(connect: plain) },
        ])
}

/// Options that several commands share.
enum Options {
    static let store = Option.optional(
        "store", .path, environment: "GUARDIAN_STORE", defaultText: "guardian/devices.json in the XDG data folder",
        "The file with keys and enrolments.")
    static let ca = Option.optional(
        "ca", .path, environment: "GUARDIAN_CA", defaultText: "the system's",
        "PEM certificates of the authorities to trust for the server.")
    static let domain = Option.optional(
        "domain", .string.placeholder("DOMAIN"),
        "The server's domain or URL, if this phone is enrolled with more than one.")
    static let device = Option.optional(
        "device", .string.placeholder("ID"), "The enrolment to use, if there is more than one.")
    static let json = Option.flag("json", "Print JSON for programs.")

    static let common = OptionGroup("Enrolment", [store, device, domain, ca, json])
}

extension Invocation {
    func store() throws -> FileDeviceStore {
        FileDeviceStore(path: try self[Options.store] ?? FileDeviceStore.defaultPath(environment: environment))
    }

    /// The one enrolment that the options name.
    func phone(_ connect: Connect) async throws -> Phone {
        let store = try store()
        let device = try await store.device(id: try self[Options.device], domain: try self[Options.domain])
        guard let domain = device.domain else {
            throw CommandFailure(
                "\(store.path) does not say where \(device.id) is enrolled", hint: "enrol this phone again")
        }
        return Phone(
            device: device, domain: domain, configuration: connect(try self[Options.ca]), output: output,
            json: try self[Options.json], language: language)
    }

    var language: Language { Language.preferred(by: environment) }
    var texts: Texts.Phone { language.texts.phone }
}

/// Says what went wrong with a call in the terms of this command.
func explaining<Result>(_ call: () async throws -> Result) async throws -> Result {
    do { return try await call() } catch { throw explained(error) }
}

/// `language` is for a text about the person's answer.
func explained(_ error: any Error, in language: Language = .english) -> any Error {
    switch error {
    case let error as GuardianError:
        CommandFailure(
            error.refusal(inLanguage: language.rawValue) ?? error.description, hint: hint(for: error.code))
    case let error as NetworkError: CommandFailure(error.description)
    default: error
    }
}

/// True if the same call may succeed later: the server was not reached, failed, or has too much to do.
func mayPass(_ error: any Error) -> Bool {
    let status: Int? =
        switch error {
        case let error as GuardianError: error.statusCode
        case let error as NetworkError: error.statusCode
        default: nil
        }
    return status.map { $0 == 0 || $0 == 429 || $0 >= 500 } ?? false
}

private func hint(for code: String) -> String? {
    switch code {
    case "enrollment_transaction_not_found", "invalid_token", GuardianError.Code.invalidEnrollmentUri.rawValue:
        "codes and tickets work once and for a short time: ask for a new one"
    case "enrollment_not_found": "guardian unenroll --local forgets the enrolment here"
    default: nil
    }
}
