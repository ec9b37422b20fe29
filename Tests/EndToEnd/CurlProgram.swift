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

/// A wall clock of programs that differs from the machine's. Their timers wait as long as ever, which libfaketime does not
/// let them in the past.
enum ShiftedClock {
    private static let compiler = ["/usr/bin/cc", "/usr/bin/clang", "/usr/bin/gcc"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    /// False without a compiler for C, and under a sanitizer, whose library has to be loaded first.
    static let isAvailable = compiler != nil && Patience.factor == 1

    /// Compiles the library that programs load, into `folder`.
    static func make(in folder: URL) async throws -> URL {
        let source = FormerInstallation.all.appending(path: "shifted-clock.c")
        let library = folder.appending(path: "shifted-clock.so")
        let done = try await Program.run(
            ["-shared", "-fPIC", "-O1", "-o", library.path, source.path], of: compiler ?? "cc", in: folder)
        guard done.status == 0 else { throw Unexpected("cc: \(done.errors)") }
        return library
    }

    /// Variables with which a program's time is `date` now.
    static func variables(_ library: URL, at date: Date) -> [String: String] {
        ["LD_PRELOAD": library.path, "CLOCK_SHIFT": "\(Int(date.timeIntervalSinceNow.rounded()))"]
    }

    /// Time of a program with these variables, in seconds since 1970.
    static func now(_ variables: [String: String]) -> Double {
        Date.now.timeIntervalSince1970 + Double(variables["CLOCK_SHIFT"].flatMap { Int($0) } ?? 0)
    }
}
