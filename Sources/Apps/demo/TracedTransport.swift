import Foundation
import HTTPModel
import Primitives
import Synchronization
import Terminal

/// Makes requests with another transport and prints each of them: forms with one parameter a line, JSON indented,
/// secrets and signatures shortened.
final class TracedTransport: HTTPClient {
    private let transport: any HTTPClient
    private let output: Output
    private let isShown = Mutex(true)

    init(_ transport: any HTTPClient, output: Output) {
        self.transport = transport
        self.output = output
    }

    /// Runs `body` without printing its requests.
    func silently<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        isShown.withLock { $0 = false }
        defer { isShown.withLock { $0 = true } }
        return try await body()
    }

    func send(_ request: ClientRequest) async throws(HTTPClientError) -> ClientResponse {
        show(request)
        let response = try await transport.send(request)
        show(status: response.status, fields: response.fields, body: response.body)
        return response
    }

    func stream(_ request: ClientRequest) async throws(HTTPClientError) -> StreamingResponse {
        show(request)
        let response = try await transport.stream(request)
        show(status: response.status, fields: response.fields, body: [])
        let (body, continuation) = AsyncThrowingStream.makeStream(of: [UInt8].self)
        let relay = Task { [self] in
            do {
                for try await chunk in response.body {
                    showFrame(chunk)
                    continuation.yield(chunk)
                }
                continuation.finish()
            } catch {
                continuation.finish(throwing: error)
            }
        }
        continuation.onTermination = { _ in relay.cancel() }
        return StreamingResponse(status: response.status, fields: response.fields, body: body)
    }

    private func show(_ request: ClientRequest) {
        guard isShown.withLock({ $0 }) else { return }
        var lines: [Text] = ["\("→", .cyan) \("\(request.method.rawValue) \(request.url)", .bold)"]
        for field in request.fields where Self.shownFields.contains(field.name.lowercased()) {
            lines.append("    \(field.name): \(Self.shortened(field.value))")
        }
        if let body = request.body { lines += Self.lines(of: body, type: request.fields["Content-Type"]) }
        output.lines(lines)
    }

    private func show(status: Int, fields: HTTPFields, body: [UInt8]) {
        guard isShown.withLock({ $0 }) else { return }
        var lines: [Text] = ["\("←", .green) \("\(status)", .bold)"]
        for field in fields where Self.shownFields.contains(field.name.lowercased()) {
            lines.append("    \(field.name): \(Self.shortened(field.value))")
        }
        output.lines(lines + Self.lines(of: body, type: fields["Content-Type"]) + [""])
    }

    /// Prints the events of a stream, without comments and reconnection times.
    private func showFrame(_ bytes: [UInt8]) {
        guard isShown.withLock({ $0 }) else { return }
        let text = String(decoding: bytes, as: UTF8.self)
        for frame in text.components(separatedBy: "\n\n") where frame.contains("event:") {
            var lines: [Text] = ["\("←", .green) \("event on the device channel", .bold)"]
            for line in frame.split(separator: "\n") {
                if line.hasPrefix("data:"), let value = try? JSONReader.parse(String(line.dropFirst(5))) {
                    lines.append("    data:")
                    lines += JSONWriter.lines(Self.shortened(value)).map { "      \($0)" }
                } else {
                    lines.append("    \(String(line))")
                }
            }
            output.lines(lines + [""])
        }
    }

    private static let shownFields: Set<String> = [
        "content-type", "authorization", "mfa-dpop", "prefer", "preference-applied", "retry-after", "accept",
        "last-event-id",
    ]

    private static func lines(of body: [UInt8], type: String?) -> [Text] {
        guard !body.isEmpty else { return [] }
        if type?.hasPrefix("application/x-www-form-urlencoded") == true, let form = try? FormFields(parsing: body) {
            return form.pairs.map { pair in
                let value = pair.name == "client_secret" ? "••••••••" : shortened(pair.value)
                return "    \(pair.name) = \(value)"
            }
        }
        guard let value = try? JSONReader.parse(body) else { return ["    \(body.count) bytes"] }
        return JSONWriter.lines(shortened(value)).map { "    \($0)" }
    }

    /// Shortens tokens and other long words. Their beginning stays, since it shows what they are.
    static func shortened(_ text: String) -> String {
        text.split(separator: " ", omittingEmptySubsequences: false).map { word in
            word.utf8.count > 72 && !word.contains("{") && !word.contains("/")
                ? "\(word.prefix(28))…(\(word.utf8.count))" : String(word)
        }.joined(separator: " ")
    }

    static func shortened(_ value: JSONValue) -> JSONValue {
        switch value {
        case .string(let text): .string(shortened(text))
        case .array(let elements): .array(elements.map(shortened))
        case .object(let object):
            .object(
                object.reduce(into: JSONObject()) { result, member in result[member.name] = shortened(member.value) })
        default: value
        }
    }
}
