import CountersignClient
import CountersignServer
import PlatformFoundation
import Primitives
import Terminal

/// Options of commands that are clients of a server: its address, and the client's credentials.
struct ConnectionOptions: Sendable {
    let issuer = Option<String?>.optional(
        "issuer", .string.placeholder("URL"), environment: "COUNTERSIGN_ISSUER",
        defaultText: "the development server's", "Issuer URL of the server.")
    let clientID: Option<String?>
    let clientSecret = Option<SecretBytes?>.optional(
        "client-secret", .secret, environment: "COUNTERSIGN_CLIENT_SECRET",
        "Client secret. Prefer the variable, since other users can see a command's options.")
    let clientKey = Option<String?>.optional(
        "client-key", .path, environment: "COUNTERSIGN_CLIENT_KEY",
        "Unencrypted private key in PEM, for a client with private_key_jwt.")
    let clientKeyID = Option<String?>.optional(
        "client-key-id", .string.placeholder("KID"), environment: "COUNTERSIGN_CLIENT_KEY_ID",
        "kid of that key. Not needed if the client has only one key.")
    let authority = Option<String?>.optional(
        "ca", .path, environment: "COUNTERSIGN_CA", defaultText: "the system's",
        "PEM certificates of the authorities to trust for the server.")
    let data = Option<String>.defaulted(
        "data", .path.placeholder("FOLDER"), to: ServerSettings().dataFolder, environment: "COUNTERSIGN_DATA",
        "Data folder of the development server.")

    init(client: String) {
        clientID = .optional("client-id", .string.placeholder("ID"), environment: "COUNTERSIGN_CLIENT_ID", client)
    }

    var group: OptionGroup {
        OptionGroup("Server", [issuer, clientID, clientSecret, clientKey, clientKeyID, authority, data])
    }
}

/// A server's address and a client's credentials.
struct ClientConnection {
    let clientID: String
    private let clientSecret: SecretBytes?
    /// Nil means that the client authenticates by a secret, or is public.
    private let clientKey: ClientAuthentication?
    private let clientKeyPath: String?
    private let issuer: String
    private let authority: String?

    /// Without `--issuer`, missing values come from the development server in the data folder.
    init(_ invocation: Invocation, _ options: ConnectionOptions) throws {
        let folder = try invocation[options.data]
        let issuer = try invocation[options.issuer]
        let development = issuer == nil ? try DevelopmentConfiguration.read(folder: folder) : nil
        guard let issuer = issuer ?? development?.issuer else {
            throw UsageError(
                "--issuer is required, because \(folder) has no development server",
                hint: "or set the environment variable COUNTERSIGN_ISSUER, or name another folder with --data")
        }
        guard let clientID = try invocation[options.clientID] ?? development?.clientID.rawValue else {
            throw UsageError("--client-id is required with --issuer")
        }
        self.issuer = issuer
        self.clientID = clientID
        let known = development?.clientID.rawValue == clientID ? development?.clientSecret : nil
        let secret = try invocation[options.clientSecret]
        if let path = try invocation[options.clientKey] {
            guard secret == nil else { throw UsageError("give either --client-key or --client-secret, not both") }
            clientKey = try Self.key(path, id: try invocation[options.clientKeyID])
            clientKeyPath = path
            clientSecret = nil
        } else {
            clientKey = nil
            clientKeyPath = nil
            clientSecret = secret ?? known
        }
        let local = Installation.authorityFile(folder: folder)
        let hasLocal = development != nil && FileManager.default.fileExists(atPath: local)
        authority = try invocation[options.authority] ?? (hasLocal ? local : nil)
    }

    /// A client of the server that a command works on from afar. Its secret comes from a variable or a file.
    init(server: String, _ invocation: Invocation) throws {
        guard let clientID = try invocation[ServerOptions.clientID] else {
            throw UsageError(
                "--client-id is required with --server", hint: "or set the environment variable COUNTERSIGN_CLIENT_ID")
        }
        issuer = server
        self.clientID = clientID
        clientKeyPath = try invocation[ServerOptions.clientKey]
        if let clientKeyPath {
            clientKey = try Self.key(clientKeyPath, id: try invocation[ServerOptions.clientKeyID])
            clientSecret = nil
        } else {
            clientKey = nil
            clientSecret = try ServerOptions.secret(invocation)
        }
        authority = try invocation[ServerOptions.authority]
    }

    private static func key(_ path: String, id: String?) throws -> ClientAuthentication {
        let pem = Data(try readFile(path))
        do throws(CountersignError) { return try .privateKey(pem: pem, keyID: id) } catch {
            throw UsageError(
                "\(path) contains no unencrypted private key in PEM that can sign assertions",
                hint: "use a P-256, P-384, Ed25519 or RSA key (at least 2048 bits)")
        }
    }

    /// All values, for a program that keeps them. The key and the authorities are PEM.
    func values() throws -> (issuer: String, clientID: String, secret: String?, key: String?, authorities: String?) {
        let secret = clientSecret.map { String(decoding: $0.bytes, as: UTF8.self) }
        let key = try clientKeyPath.map { String(decoding: try readFile($0), as: UTF8.self) }
        return (issuer, clientID, secret, key, try authority.map { String(decoding: try readFile($0), as: UTF8.self) })
    }

    /// True if there is a key or secret.
    var isConfidential: Bool { clientKey != nil || clientSecret != nil }

    private var authentication: ClientAuthentication {
        if let clientKey { return clientKey }
        return clientSecret.map { .secretPost(String(decoding: $0.bytes, as: UTF8.self)) } ?? .publicClient
    }

    /// Makes a public client if there is neither key nor secret.
    func client() throws -> CountersignClient {
        guard let url = URL(string: issuer) else { throw UsageError("the issuer \(issuer) is not a URL") }
        let trust: CountersignClient.Environment.Trust =
            if let authority { .certificates(pem: Data(try readFile(authority))) } else { .system }
        do throws(CountersignError) {
            return try CountersignClient(
                issuer: url, clientID: clientID,
                authentication: authentication,
                environment: .system(
                    trust: trust,
                    trustAdvice:
                        "Name the CA that signed it with --ca FILE. A development server has it in DATA/tls/ca.pem."))
        } catch {
            throw CommandFailure(error.failureReason ?? error.outcome, hint: error.hint)
        }
    }
}

extension Output {
    /// Runs a client's command until it ends or a signal interrupts it. A second signal ends the process at once.
    /// Reports failures, with `asJSON` also as JSON for programs. Returns the exit status.
    func carryOut<Value: Sendable>(
        asJSON: Bool, _ work: @escaping @Sendable () async throws -> Value, show: (Value) -> Void
    ) async throws -> Int32 {
        let signals = try TerminationSignal.stream()
        let task = Task { try await work() }
        let watch = Task {
            var arrived: TerminationSignal?
            for await signal in signals {
                guard arrived == nil else { _exit(128 + signal.rawValue) }
                arrived = signal
                task.cancel()
            }
            return arrived
        }
        let result = await task.result
        watch.cancel()
        switch result {
        case .success(let value):
            show(value)
            return 0
        case .failure(let failure):
            let signal = await watch.value
            guard let error = signal == nil ? failure as? CountersignError : .cancelled else { throw failure }
            let text = error.failureReason ?? error.outcome
            if asJSON {
                var answer: JSONObject = [
                    "status": .string(error.outcome), "error": .string(error.code), "error_description": .string(text),
                ]
                if case .denied(let reason) = error { answer["reason"] = reason.map(JSONValue.string) }
                json(.object(answer))
            }
            if let signal { return 128 + signal.rawValue }
            self.error(text, hint: error.hint)
            return error.exitStatus
        }
    }

    /// Shows `text` while `work` runs, and on a terminal also the remaining time.
    func wait<Value: Sendable>(
        _ text: String, until end: Date, _ work: () async throws -> Value
    ) async throws -> Value {
        try await progress(text) { progress in
            // Without a terminal, every update would be a new line.
            let ticker =
                diagnostics.isTerminal
                ? Task {
                    while !Task.isCancelled {
                        let left = max(0, Int(end.timeIntervalSinceNow))
                        progress.update("\(text), \(spellDuration(.seconds(left))) left")
                        try await Task.sleep(for: .seconds(1))
                    }
                } : nil
            defer { ticker?.cancel() }
            return try await work()
        }
    }
}

extension Tokens {
    func json(status: String) -> JSONValue {
        var object: JSONObject = ["status": .string(status)]
        for (name, value) in json.objectValue ?? [:] { object[name] = value }
        return .object(object)
    }
}

extension CountersignError {
    var outcome: String {
        switch self {
        case .denied: "rejected"
        case .accessDenied, .cancelledByUser: "refused"
        case .expired: "expired"
        default: "failed"
        }
    }

    /// Error code for programs: OAuth's code if there is one.
    var code: String {
        switch self {
        case .denied, .accessDenied, .cancelledByUser: "access_denied"
        case .expired: "expired_token"
        case .userUnknown: "unknown_user_id"
        case .noEligibleDevice: "no_eligible_device"
        case .undelivered: "transaction_failed"
        case .rateLimited: "too_many_requests"
        case .invalidRequest: "invalid_request"
        case .invalidBindingMessage: "invalid_binding_message"
        case .invalidAuthorizationDetails: "invalid_authorization_details"
        case .clientRejected: "invalid_client"
        case .network: "network"
        case .tls: "tls"
        case .protocolViolation: "invalid_answer"
        case .tokenInvalid: "invalid_token"
        case .receiptInvalid: "invalid_receipt"
        case .cancelled: "cancelled"
        case .loginRequired, .loginAgain: "login_required"
        case .consentRequired: "consent_required"
        case .interactionRequired: "interaction_required"
        case .authorizationFailed(let code, _): code
        case .stateMismatch: "state_mismatch"
        case .issuerMismatch: "issuer_mismatch"
        case .noBrowser: "no_browser"
        case .storage: "storage"
        }
    }

    var exitStatus: Int32 {
        switch self {
        case .denied, .accessDenied, .cancelledByUser: 3
        case .expired: 4
        default: 1
        }
    }

    var hint: String? {
        switch self {
        case .noEligibleDevice(let text) where text.contains("User does not have push notifications set up"):
            "enrol a phone with countersign device ticket --user USER"
        case .network: "is the server running?"
        case .loginRequired, .consentRequired, .interactionRequired: "log in without --prompt none"
        default: nil
        }
    }
}
