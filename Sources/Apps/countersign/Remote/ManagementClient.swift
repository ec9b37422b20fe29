import AuthorizationCore
import Configuration
import CountersignClient
import HTTPModel
import ManagementAPI
import PlatformFoundation
import Primitives
import Synchronization
import Terminal

/// The Management API of a tenant at a server, with a token that is kept in memory alone.
final class ManagementClient: Sendable {
    /// Time that a command waits altogether because the server takes no more requests.
    private static let patience = Duration.seconds(120)
    /// Time for one answer. A file of `apply` may have many passwords to hash.
    private static let timeout = Duration.seconds(120)
    /// Maximum size of a body, as servers have it by default.
    private static let bodyLimit = 1_048_576

    private let client: CountersignClient
    private let clientID: String
    private let issuer: String
    private let output: Output
    private let token = Mutex<String?>(nil)

    init(_ connection: ClientConnection, server: String, output: Output) throws {
        client = try connection.client()
        clientID = connection.clientID
        issuer = server.hasSuffix("/") ? server : server + "/"
        self.output = output
    }

    /// The server's host, which names the tenant.
    var host: String { String(issuer.drop { $0 != "/" }.drop { $0 == "/" }.prefix { $0 != "/" }) }

    private var audience: String { issuer + "api/v2/" }

    /// Throws `AdministrationFailure` as the operator's own API does, or `CommandFailure` with what to do next.
    func answer(_ request: OperationRequest) async throws -> JSONValue {
        var waited = Duration.zero
        var isRenewed = false
        while true {
            let response = try await send(request)
            switch response.status {
            case 200..<300:
                if response.body.isEmpty { return .null }
                guard let value = try? JSONReader.parse(response.body) else {
                    throw CommandFailure("the answer of \(issuer) is not JSON", hint: "is that the server's address?")
                }
                return value
            case 401 where !isRenewed:
                isRenewed = true
                token.withLock { $0 = nil }
            case 429:
                let wait = Duration.seconds(response.fields["Retry-After"].flatMap { Int($0) } ?? 1)
                guard waited + wait <= Self.patience else { throw failure(of: response, to: request) }
                if waited == .zero { output.note("The server takes no more requests at the moment. Waiting.") }
                waited += wait
                try await Task.sleep(for: wait)
            default: throw failure(of: response, to: request)
            }
        }
    }

    private func send(_ request: OperationRequest) async throws -> ClientResponse {
        var fields: HTTPFields = ["Authorization": "Bearer \(try await bearer())", "Accept": "application/json"]
        for field in request.condition { fields.append(field.name, field.value) }
        let boundary = "part-\(UUID().uuidString)"
        let body = request.body.map { request.isForm ? Self.form($0, boundary) : JSONWriter.bytes($0) }
        if let body {
            guard body.count <= Self.bodyLimit else {
                throw CommandFailure(
                    "the document has \(body.count) bytes, and a server takes \(Self.bodyLimit)",
                    hint: "give it in parts, or run the command on the server's machine")
            }
            fields.append(
                "Content-Type", request.isForm ? "multipart/form-data; boundary=\(boundary)" : "application/json")
        }
        let path = request.filledPath.dropFirst()
        let url = issuer + path + (request.encodedQuery.map { "?\($0)" } ?? "")
        do throws(CountersignError) {
            return try await client.call(
                ClientRequest(method: request.method, url: url, fields: fields, body: body, timeout: Self.timeout))
        } catch {
            throw CommandFailure(error, changing: request.method != .get)
        }
    }

    /// The members of an object as parts of a form (RFC 7578).
    private static func form(_ body: JSONValue, _ boundary: String) -> [UInt8] {
        var form: [UInt8] = []
        for (name, value) in body.objectValue ?? [:] {
            form += "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n".utf8
            form += (value.stringValue ?? JSONWriter.string(value)).utf8
            form += "\r\n".utf8
        }
        return form + "--\(boundary)--\r\n".utf8
    }

    /// A file whose address is its own proof, in pieces as they arrive.
    func download(_ url: String, _ work: ([UInt8]) throws -> Void) async throws {
        let response: StreamingResponse
        do throws(CountersignError) { response = try await client.stream(from: url) } catch {
            throw CommandFailure(error, changing: false)
        }
        guard response.status == 200 else {
            throw CommandFailure("the server does not give the file: it answered with status \(response.status)")
        }
        do { for try await piece in response.body { try work(piece) } } catch let error as HTTPClientError {
            throw CommandFailure("the file broke off: \(error.text)", hint: "run the command again")
        }
    }

    private func bearer() async throws -> String {
        if let known = token.withLock({ $0 }) { return known }
        let new: String
        do throws(CountersignError) {
            new = try await client.ownToken(for: audience)
        } catch {
            if case .invalidRequest(let text) = error {
                throw CommandFailure(
                    "the server gives the client \(clientID) no token: \(text)",
                    hint:
                        "on the server: countersign client grant \(clientID) \(audience) SCOPE ..., with the tenant's own host"
                )
            }
            throw CommandFailure(error, changing: false)
        }
        token.withLock { $0 = new }
        return new
    }

    /// The failure that the same command has at home, or what the server says.
    private func failure(of response: ClientResponse, to request: OperationRequest) -> any Error {
        let body = try? JSONReader.parse(response.body)
        let code = body?["errorCode"]?.stringValue ?? ""
        let message = body?["message"]?.stringValue ?? "it answered with status \(response.status)"
        switch response.status {
        case 400:
            let problems = DocumentProblem.problems(in: message)
            return problems.isEmpty ? CommandFailure(message) : AdministrationFailure.invalid(problems)
        case 401:
            return CommandFailure(
                "the server does not accept the client's token: \(message)",
                hint: "does \(clientID) still have its grant for \(audience)?")
        case 403:
            return CommandFailure(
                message,
                hint: "on the server, by somebody who may: countersign client grant \(clientID) \(audience) SCOPE ...")
        case 404, 409:
            let words = code.split(separator: "_", maxSplits: 1)
            if words.first == "inexistent", let kind = ObjectKind(rawValue: String(words.last ?? "")) {
                return AdministrationFailure.unknown(kind)
            }
            if code.hasSuffix("_conflict"), let kind = ObjectKind(rawValue: String(code.dropLast(9))),
                let property = message.split(separator: " with the same ").last?.split(separator: " already").first
            {
                return AdministrationFailure.conflict(kind, same: String(property))
            }
            return CommandFailure(message, hint: code.isEmpty ? "is \(issuer) a server of this version?" : nil)
        case 412:
            return CommandFailure(
                message, hint: "look at them again: countersign apply FILE --dry-run --version-file FILE")
        case 413: return CommandFailure("the server does not take a document of this size", hint: "give it in parts")
        case 429 where message.hasPrefix("Too many mails"):
            return CommandFailure(
                message, hint: "run the command again later: it goes on with those who have no mail yet")
        case 429:
            return CommandFailure(
                "the server takes no more requests: \(message)",
                hint: "wait a minute, or raise management_requests_per_minute of the tenant")
        case 500...:
            return CommandFailure(
                "the server failed: \(message)",
                hint: request.method == .get ? "run the command again" : CommandFailure.lostAnswer)
        default: return CommandFailure(message)
        }
    }
}

extension CommandFailure {
    static let lostAnswer = "it may have been done: look before you run the command again; apply is safe to run again"

    /// A request that got no answer.
    fileprivate init(_ error: CountersignError, changing: Bool) {
        let hint: String? =
            switch error {
            case .tls: nil
            case .clientRejected: "check the client's id, and its secret or key"
            case .network where changing: "is the server running? \(Self.lostAnswer)"
            default: error.hint
            }
        self.init(error.failureReason ?? error.outcome, hint: hint)
    }
}

extension DocumentProblem {
    private static let frame = "Payload validation error: "

    /// The problems in a message of the API: `Payload validation error: 'is required' on property name.`
    static func problems(in message: String) -> [DocumentProblem] {
        guard message.hasPrefix(frame), message.hasSuffix(".") else { return [] }
        return message.dropFirst(frame.count + 1).dropLast().split(separator: "; '", omittingEmptySubsequences: false)
            .map { text in
                let parts = text.split(separator: "' on property ", omittingEmptySubsequences: false).map(String.init)
                let path = parts.count > 1 ? parts[parts.count - 1] : ""
                let problem =
                    parts.count > 1
                    ? parts.dropLast().joined(separator: "' on property ") : String(text).trimmingSuffix("'")
                return DocumentProblem(path: path, message: problem)
            }
    }
}

extension String {
    fileprivate func trimmingSuffix(_ suffix: String) -> String {
        hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
    }
}
