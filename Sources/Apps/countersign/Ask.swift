import CountersignClient
import CountersignServer
import Foundation
import OAuthWire
import Primitives
import Synchronization
import Terminal

extension Command {
    static var ask: Command {
        let options = AskOptions()
        return Command(
            "ask", "Ask a person for approval, wait for the answer, and print the access token.",
            discussion: """
                The exit status tells the answer: 0 allowed, 3 rejected, 4 nobody answered in time, 130 interrupted, \
                2 a call that is not understood, 1 anything else. Standard output holds the token alone.

                Beside a development server, issuer, client and CA are found in its data folder.
                """,
            options: options.groups,
            examples: [
                Example(
                    "approve a payment",
                    "countersign ask -u 'auth0|65f0' -m 'Order 4711' --audience https://api.example.com --details "
                        + "payment.json"),
                Example("in a script", "TOKEN=$(countersign ask -u \"$USER_ID\" -m 'Deploy 1.4.2') || exit"),
            ]
        ) { invocation in
            let connection = try AskConnection(invocation, options)
            let request = try options.request(invocation)
            return try await ask(
                request, through: connection.client(), asJSON: try invocation[options.json], output: invocation.output)
        }
    }

    private static func ask(
        _ request: BackchannelRequest, through client: CountersignClient, asJSON: Bool, output: Output
    ) async throws -> Int32 {
        let signals = try TerminationSignal.stream()
        let arrived = Mutex<TerminationSignal?>(nil)
        let work = Task { try await tokens(for: request, from: client, output: output) }
        let watch = Task {
            for await signal in signals {
                arrived.withLock { $0 = signal }
                work.cancel()
            }
        }
        defer { watch.cancel() }
        do {
            let tokens = try await work.value
            if asJSON {
                output.json(tokens.json)
            } else {
                output.raw(tokens.accessToken)
            }
            return 0
        } catch let error as CountersignError {
            if let signal = arrived.withLock(\.self) { return 128 + signal.rawValue }
            if asJSON { output.json(["status": .string(error.outcome)]) }
            output.error(error.errorDescription ?? error.outcome, hint: error.hint)
            return error.exitStatus
        }
    }

    private static func tokens(
        for request: BackchannelRequest, from client: CountersignClient, output: Output
    ) async throws -> Tokens {
        let pending = try await client.start(request)
        let text = "Waiting for \(request.user) to answer \"\(request.bindingMessage)\""
        return try await output.progress(text) { progress in
            // Elsewhere than on a terminal every new text would be a line.
            let ticker =
                output.diagnostics.isTerminal
                ? Task {
                    while !Task.isCancelled {
                        let left = max(0, Int(pending.expiresAt.timeIntervalSinceNow))
                        progress.update("\(text), \(spellDuration(.seconds(left))) left")
                        try await Task.sleep(for: .seconds(1))
                    }
                } : nil
            defer { ticker?.cancel() }
            return try await client.tokens(for: pending, longPoll: .seconds(60))
        }
    }
}

/// The options of `countersign ask`.
private struct AskOptions: Sendable {
    let user = Option<String>.required("user", short: "u", .string.placeholder("USER"), "Who is asked: the user's id.")
    let message = Option<String>.required(
        "message", short: "m", .string, "What the person reads and should recognise: 1 to 64 characters.")
    let details = Option<String?>.optional(
        "details", .path,
        "Authorization details (RFC 9396): a JSON array of objects with a type, or one such object; - "
            + "reads standard input.")
    let audience = Option<String?>.optional(
        "audience", .string.placeholder("API"), environment: "COUNTERSIGN_AUDIENCE",
        "The identifier of the API that the token is for.")
    let scope = Option<String>.defaulted(
        "scope", .string.placeholder("SCOPES"), to: "openid", "Scopes, separated by spaces.")
    let expires = Option<Int?>.optional(
        "expires", .integer(BackchannelAuthenticationRequest.expiryRange), defaultText: "the server's choice",
        "Seconds the person has to answer.")
    let json = Option<Bool>.flag("json", "Print everything that came as JSON; without tokens, {\"status\": …}.")

    let issuer = Option<String?>.optional(
        "issuer", .string.placeholder("URL"), environment: "COUNTERSIGN_ISSUER",
        defaultText: "the development server's",
        "The server's issuer.")
    let clientID = Option<String?>.optional(
        "client-id", .string.placeholder("ID"), environment: "COUNTERSIGN_CLIENT_ID", "Who asks.")
    let clientSecret = Option<SecretBytes?>.optional(
        "client-secret", .secret, environment: "COUNTERSIGN_CLIENT_SECRET",
        "The client's secret. Other users can read a process's options: prefer the variable.")
    let authority = Option<String?>.optional(
        "ca", .path, environment: "COUNTERSIGN_CA", defaultText: "the system's",
        "PEM certificates of the authorities that may vouch for the server.")
    let data = Option<String>.defaulted(
        "data", .path.placeholder("FOLDER"), to: ServerSettings().dataFolder, environment: "COUNTERSIGN_DATA",
        "The development server's data folder.")

    var groups: [OptionGroup] {
        [
            OptionGroup(
                "Request",
                [
                    user.declaration, message.declaration, details.declaration, audience.declaration,
                    scope.declaration, expires.declaration, json.declaration,
                ]),
            OptionGroup(
                "Server",
                [
                    issuer.declaration, clientID.declaration, clientSecret.declaration, authority.declaration,
                    data.declaration,
                ]),
        ]
    }

    func request(_ invocation: Invocation) throws -> BackchannelRequest {
        var request = BackchannelRequest(
            user: try invocation[user], bindingMessage: try invocation[message],
            scope: try invocation[scope].split(separator: " ").map(String.init), audience: try invocation[audience],
            requestedExpiry: try invocation[expires].map { .seconds($0) })
        // The server knows its tenant's alphabet and says what is wrong.
        request.alphabet = .unicode
        guard let path = try invocation[details] else { return request }
        switch try? JSONReader.parse(readFile(path)) {
        case .array(let values): request.authorizationDetails = values
        case .object(let object): request.authorizationDetails = [.object(object)]
        default: throw CommandFailure("\(path) holds neither a JSON array nor a JSON object")
        }
        return request
    }
}

/// Which server is asked, and as whom.
private struct AskConnection {
    private let issuer: String
    private let clientID: String
    private let clientSecret: SecretBytes
    private let authority: String?

    /// Without `--issuer`, what is not given is a development server's.
    init(_ invocation: Invocation, _ options: AskOptions) throws {
        let folder = try invocation[options.data]
        let issuer = try invocation[options.issuer]
        let development = issuer == nil ? try DevelopmentConfiguration.read(folder: folder) : nil
        guard let issuer = issuer ?? development?.issuer else {
            throw UsageError(
                "--issuer is required where \(folder) holds no development server",
                hint: "the environment variable COUNTERSIGN_ISSUER can give it too; --data names another folder")
        }
        guard let clientID = try invocation[options.clientID] ?? development?.clientID.rawValue else {
            throw UsageError("--client-id is required with --issuer")
        }
        guard let clientSecret = try invocation[options.clientSecret] ?? development?.clientSecret else {
            throw UsageError(
                "the client's secret is required with --issuer", hint: "set COUNTERSIGN_CLIENT_SECRET")
        }
        self.issuer = issuer
        self.clientID = clientID
        self.clientSecret = clientSecret
        let local = Installation.authorityFile(folder: folder)
        let known = development != nil && FileManager.default.fileExists(atPath: local)
        authority = try invocation[options.authority] ?? (known ? local : nil)
    }

    func client() throws -> CountersignClient {
        guard let url = URL(string: issuer) else { throw UsageError("the issuer \(issuer) is no URL") }
        let trust: CountersignClient.Environment.Trust =
            if let authority { .certificates(pem: Data(try readFile(authority))) } else { .system }
        do throws(CountersignError) {
            return try CountersignClient(
                issuer: url, clientID: clientID,
                authentication: .secretPost(String(decoding: clientSecret.bytes, as: UTF8.self)),
                environment: .system(trust: trust))
        } catch {
            throw CommandFailure(error.errorDescription ?? error.outcome, hint: error.hint)
        }
    }
}

extension Tokens {
    fileprivate var json: JSONValue {
        var object: JSONObject = [
            "status": "allowed", "access_token": .string(accessToken), "token_type": .string(tokenType),
            "scope": .string(scope.joined(separator: " ")),
        ]
        if let expiresAt {
            object["expires_at"] = .string(Timestamp(seconds: Int64(expiresAt.timeIntervalSince1970)).iso8601)
        }
        object["id_token"] = idToken.map { .string($0.encoded) }
        object["refresh_token"] = refreshToken.map(JSONValue.string)
        if !authorizationDetails.isEmpty { object["authorization_details"] = .array(authorizationDetails) }
        return .object(object)
    }
}

extension CountersignError {
    fileprivate var outcome: String {
        switch self {
        case .denied: "rejected"
        case .expired: "expired"
        default: "failed"
        }
    }

    fileprivate var exitStatus: Int32 {
        switch self {
        case .denied: 3
        case .expired: 4
        default: 1
        }
    }

    fileprivate var hint: String? {
        switch self {
        case .tls: "--ca names the authority's certificate, for a development server DATA/tls/ca.pem"
        case .noEligibleDevice: "countersign device ticket --user USER enrols a phone"
        case .network: "is the server running?"
        default: nil
        }
    }
}
