import CountersignClient
import Files
import OAuthWire
import PlatformFoundation
import Primitives
import Terminal

extension Command {
    static var ask: Command {
        let options = AskOptions()
        return Command(
            "ask", "Ask a user for approval, wait for the answer, and print the access token.",
            discussion: """
                The exit status is 0 if the user allowed the request, 3 if they rejected it, 4 if it expired, 130 after \
                Ctrl-C, 143 after SIGTERM, 129 after SIGHUP, and 1 for every other failure, including wrong options. Standard output \
                contains only the token.

                Next to a development server, issuer, client and CA come from its data folder.
                """,
            options: options.groups,
            examples: [
                "by e-mail address": "countersign ask -u hanna@shop.example -m 'Deploy 1.4.2'",
                "approve a payment":
                    "countersign ask -u 'auth0|65f0' -m 'Order 4711' --audience https://api.example.com --details "
                    + "payment.json",
                "in a script": "TOKEN=$(countersign ask -u \"$USER_ID\" -m 'Deploy 1.4.2') || exit",
            ]
        ) { invocation in
            let connection = try ClientConnection(invocation, options.connection)
            guard connection.isConfidential else {
                throw UsageError("a client secret is required", hint: "set COUNTERSIGN_CLIENT_SECRET")
            }
            let client = try connection.client()
            let request = try options.request(invocation)
            let output = invocation.output
            let asJSON = try invocation[options.json]
            return try await output.carryOut(asJSON: asJSON) {
                let tokens = try await tokens(for: request, from: client, output: output)
                if let file = try invocation[options.receipt] { try await keepReceipt(of: tokens, client, in: file) }
                return tokens
            } show: { tokens in
                if asJSON { output.json(tokens.json(status: "allowed")) } else { output.raw(tokens.accessToken) }
            }
        }
        .exitingOnMisuse(with: 1)
    }

    /// Writes the receipt once it is verified.
    private static func keepReceipt(of tokens: Tokens, _ client: CountersignClient, in file: String) async throws {
        guard let receipt = try await client.approvalReceipt(in: tokens) else {
            throw CommandFailure("the server gave no receipt", hint: "leave --receipt out for other servers")
        }
        do { try PrivateFile.store(SecretBytes(utf8: "\(receipt.encoded)\n"), to: file, mode: 0o644) } catch {
            throw CommandFailure(error.description)
        }
    }

    private static func tokens(
        for request: BackchannelRequest, from client: CountersignClient, output: Output
    ) async throws -> Tokens {
        // A signal does not cancel this: without its id, a started request could not be withdrawn.
        let pending = try await Task { try await client.start(request) }.value
        if let page = pending.approvalURI { output.note("The person may answer at \(page.absoluteString)") }
        if let number = pending.matchingCode { output.note("The person has to pick the number \(number)") }
        let text = "Waiting for \(request.user) to answer \"\(request.bindingMessage)\""
        return try await output.wait(text, until: pending.expiresAt) {
            try await client.tokens(for: pending, longPoll: .seconds(60))
        }
    }
}

private struct AskOptions: Sendable {
    let user = Option<String>.required(
        "user", short: "u", .string.placeholder("USER"), "User to ask, by id, verified e-mail address or phone number.")
    let message = Option<String>.required(
        "message", short: "m", .string, "Binding message that the user's phone shows, 1 to 64 characters.")
    let details = Option<String?>.optional(
        "details", .path,
        "Authorization details (RFC 9396), or a file with them: a JSON array of objects with a type, or one such object. "
            + "- reads standard input.")
    let audience = Option<String?>.optional(
        "audience", .string.placeholder("API"), environment: "COUNTERSIGN_AUDIENCE",
        "Identifier of the API that the token is for.")
    let scope = Option<String>.defaulted(
        "scope", .string.placeholder("SCOPES"), to: "openid", "Requested scopes, separated by spaces.")
    let expires = Option<Int?>.optional(
        "expires", .integer(BackchannelAuthenticationRequest.expiryRange), defaultText: "the server's choice",
        "Time to answer, in seconds.")
    let key = Option<String?>.optional(
        "idempotency-key", .string.placeholder("KEY"), defaultText: "random",
        "Name of the request, such as an order's number. The same command with the same key waits for the same request, "
            + "until it expires, instead of asking again.")
    let receipt = Option<String?>.optional(
        "receipt", .path, "File for the receipt: a proof of what the user allowed. It is verified before it is written."
    )
    let json = Option<Bool>.flag(
        "json", "Print the whole token response as JSON, or status, error and error_description after a failure.")

    let connection = ConnectionOptions(client: "Id of the client that asks.")

    var groups: [OptionGroup] {
        [
            OptionGroup("Request", [user, message, details, audience, scope, expires, key, receipt, json]),
            connection.group,
        ]
    }

    func request(_ invocation: Invocation) throws -> BackchannelRequest {
        var request = BackchannelRequest(
            user: try invocation[user], bindingMessage: try invocation[message],
            scope: try invocation[scope].split(separator: " ").map(String.init), audience: try invocation[audience],
            requestedExpiry: try invocation[expires].map { .seconds($0) }, idempotencyKey: try invocation[key])
        // The server knows its tenant's alphabet and reports wrong characters.
        request.alphabet = .unicode
        request.approvalReceipt = try invocation[receipt] != nil
        guard let given = try invocation[details] else { return request }
        // No file is called like the beginning of an array or object; ./ before the name reads one that is.
        let isInline = given.first.map { $0 == "[" || $0 == "{" } ?? false
        let path = isInline ? "--details" : given
        let value: JSONValue
        do {
            value = try JSONReader.parse(isInline ? Array(given.utf8) : readFile(given))
        } catch let failure as JSONReader.Failure {
            throw CommandFailure("\(path): \(failure.text)")
        }
        switch value {
        case .array(let values): request.authorizationDetails = values
        case .object(let object): request.authorizationDetails = [.object(object)]
        default: throw CommandFailure("\(path) contains neither a JSON array nor a JSON object")
        }
        return request
    }
}
