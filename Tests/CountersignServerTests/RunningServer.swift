import CurlTransport
import Foundation
import HTTPModel
import Primitives
import TestSupport
import Testing

/// A folder that is removed with its owner.
final class Folder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("countersign-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: url.appendingPathComponent(name))
    }

    func exists(_ name: String) -> Bool {
        FileManager.default.fileExists(atPath: url.appendingPathComponent(name).path)
    }

    func json(_ name: String) throws -> JSONValue {
        try JSONReader.parse(Array(Data(contentsOf: url.appendingPathComponent(name))))
    }
}

/// `countersign serve` on a port of the system's choice, in a folder of its own.
final class RunningServer: Sendable {
    let folder: Folder
    let program: Program
    let port: Int

    /// Starts it and waits until it says that it listens.
    init(
        in folder: Folder, metrics: String = "none", _ arguments: [String] = [], environment: [String: String] = [:]
    ) async throws {
        self.folder = folder
        let program = try await Program(
            ["serve", "--port", "0", "--metrics-port", metrics] + arguments, in: folder.url, environment: environment)
        self.program = program
        let listens = await program.output.wait(for: "Countersign listens on ")
        let errors = program.errors.soFar
        try #require(listens, "\(errors)")
        let line = try #require(program.output.soFar.split(separator: "\n").last)
        port = try #require(line.split(separator: ":").last.flatMap { Int($0) })
    }

    var issuer: String { "https://localhost:\(port)/" }

    func get(_ path: String, host: String? = nil, fields: HTTPFields = [:]) async throws -> ClientResponse {
        var fields = fields
        if let host { fields.set("Host", host) }
        return try await send(
            ClientRequest(method: .get, url: issuer + path, fields: fields, timeout: .seconds(20)))
    }

    /// Sends a form.
    func post(_ path: String, _ parameters: [String: String]) async throws -> ClientResponse {
        var form = FormFields()
        for (name, value) in parameters { form.append(name, value) }
        return try await send(
            ClientRequest(
                method: .post, url: issuer + path, fields: ["Content-Type": "application/x-www-form-urlencoded"],
                body: Array(form.encoded.utf8), timeout: .seconds(20)))
    }

    private func send(_ request: ClientRequest) async throws -> ClientResponse {
        var configuration = CurlTransport.Configuration()
        configuration.trust = .file(folder.url.appendingPathComponent("countersign-data/tls/ca.pem").path)
        return try await CurlTransport(configuration).send(request)
    }

    /// Ends it as an operator does, and returns its exit status.
    func stop(_ signal: Int32 = SIGTERM) async -> Int32 {
        program.send(signal)
        return await program.status()
    }

    /// Runs a command beside it.
    func command(
        _ arguments: [String], environment: [String: String] = [:]
    ) async throws -> Program.Result {
        try await Program.run(arguments, in: folder.url, environment: environment)
    }
}
