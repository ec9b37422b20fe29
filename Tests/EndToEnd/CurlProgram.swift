import Foundation
import HTTPModel
import TestSupport

/// A client that runs curl for each request, so that it has the clock of its variables. It reads no streams.
struct CurlProgram: HTTPClient {
    let folder: URL
    let authority: String
    let environment: [String: String]

    func send(_ request: ClientRequest) async throws(HTTPClientError) -> ClientResponse {
        do { return try await answer(to: request) } catch { throw .other("\(error)") }
    }

    func stream(_ request: ClientRequest) async throws(HTTPClientError) -> StreamingResponse {
        throw .other("curl as a program reads no streams")
    }

    private func answer(to request: ClientRequest) async throws -> ClientResponse {
        let name = UUID().uuidString
        let (head, body) = (folder.appending(path: "\(name).head"), folder.appending(path: "\(name).body"))
        defer { for file in [head, body] { try? FileManager.default.removeItem(at: file) } }
        var arguments = [
            "--silent", "--show-error", "--http1.1", "--max-time", "60", "--cacert", authority, "--dump-header",
            head.path, "--output", body.path, "--request", request.method.rawValue,
        ]
        for field in request.fields { arguments += ["--header", "\(field.name): \(field.value)"] }
        if let bytes = request.body { arguments += ["--data-binary", String(decoding: bytes, as: UTF8.self)] }
        let result = try await Program.run(
            arguments + [request.url], of: "curl", in: folder, environment: environment)
        guard result.status == 0 else { throw Unexpected(result.errors) }
        let lines = try String(contentsOf: head, encoding: .utf8).split(separator: "\r\n")
        var fields = HTTPFields()
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            if parts.count == 2 { fields.append(String(parts[0]), parts[1].trimmingCharacters(in: .whitespaces)) }
        }
        let status = try (lines.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) })
            .orThrow("no status in \(lines)")
        return ClientResponse(status: status, fields: fields, body: (try? Array(Data(contentsOf: body))) ?? [])
    }
}

/// A clock of programs that differs from the machine's (Debian's libfaketime). Their monotonic clock stays.
enum ShiftedClock {
    private static let library = ["x86_64", "aarch64"]
        .map { (machine: String) -> String in "/usr/lib/\(machine)-linux-gnu/faketime/libfaketimeMT.so.1" }
        .first { FileManager.default.isReadableFile(atPath: $0) }

    /// False without the library, and under a sanitizer, which takes the library's place.
    static let isAvailable = library != nil && Patience.factor == 1

    /// Variables with which a program's time is `date` now.
    static func variables(at date: Date) -> [String: String] {
        let shift = Int(date.timeIntervalSinceNow.rounded())
        return [
            "LD_PRELOAD": library ?? "", "FAKETIME": "\(shift < 0 ? "" : "+")\(shift)",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1", "NO_FAKE_STAT": "1",
        ]
    }
}
