import Foundation
import Primitives

/// A process that runs `countersign serve` on an empty data folder.
final class ServerProcess {
    private let process = Process()
    private let folder: URL
    private let programs: URL
    /// The development tenant that the server created.
    let installation: DevelopmentInstallation

    /// Starts the server and waits until it listens. `programs` is the folder with the executables. `host` is the name
    /// or address under which phones in the network reach it. Nil means this machine alone.
    init(programs: URL, host: String? = nil) async throws {
        self.programs = programs
        let manager = FileManager.default
        let server = programs.appendingPathComponent("countersign")
        guard manager.isExecutableFile(atPath: server.path) else {
            throw DemoFailure("\(server.path) does not exist; run `make release` to build it next to the demo")
        }
        folder = manager.temporaryDirectory.appendingPathComponent("countersign-demo-\(UUID().uuidString)")
        try manager.createDirectory(at: folder, withIntermediateDirectories: true)
        let data = folder.appendingPathComponent("data")
        let output = Pipe()
        let log = folder.appendingPathComponent("server.log")
        guard manager.createFile(atPath: log.path, contents: nil) else {
            throw DemoFailure("\(log.path) cannot be created")
        }
        process.executableURL = server
        process.arguments = ["serve", "--data", data.path, "--port", "0", "--metrics-port", "none"]
        if let host { process.arguments? += ["--address", "0.0.0.0", "--development-host", host] }
        process.standardOutput = output
        process.standardError = try FileHandle(forWritingTo: log)
        try process.run()
        do {
            try await Self.listening(output.fileHandleForReading)
            installation = try DevelopmentInstallation(data: data, programs: programs)
        } catch {
            let text = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
            process.terminate()
            try? manager.removeItem(at: folder)
            throw DemoFailure("the server did not start: \(error)\n\(text)")
        }
    }

    /// Waits for the startup message. Throws at the end of the output.
    private static func listening(_ handle: FileHandle) async throws {
        let (chunks, continuation) = AsyncStream.makeStream(of: Data.self)
        handle.readabilityHandler = { handle in
            let data = handle.availableData
            if data.isEmpty { continuation.finish() } else { continuation.yield(data) }
        }
        defer { handle.readabilityHandler = nil }
        var text = ""
        for await chunk in chunks {
            text += String(decoding: chunk, as: UTF8.self)
            if text.contains("Countersign listens") { return }
        }
        throw DemoFailure("it ended before it listened")
    }

    /// Ends the server and removes its folder. Throws if its exit status is not 0.
    func stop() throws {
        process.terminate()
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: folder)
        try DemoFailure.check("the server's exit status", process.terminationStatus, is: 0)
    }
}

/// The development tenant of a data folder.
struct DevelopmentInstallation: Sendable {
    let issuer: String
    let clientID: String
    let clientSecret: String
    let userID: String
    let authorityFile: String
    private let data: URL
    private let programs: URL

    init(data: URL, programs: URL) throws {
        self.data = data
        self.programs = programs
        let file = data.appendingPathComponent("development.json")
        let value = try JSONReader.parse([UInt8](try Data(contentsOf: file)))
        guard let issuer = value["issuer"]?.stringValue, let client = value["client_id"]?.stringValue,
            let secret = value["client_secret"]?.stringValue, let user = value["user_id"]?.stringValue
        else { throw DemoFailure("\(file.path) lacks a member that the server should have written") }
        self.issuer = issuer
        clientID = client
        clientSecret = secret
        userID = user
        authorityFile = data.appendingPathComponent("tls/ca.pem").path
    }

    var issuerURL: URL {
        get throws {
            guard let url = URL(string: issuer) else { throw DemoFailure("\(issuer) is not a URL") }
            return url
        }
    }

    /// Host and port, in the form that apps use for their tenant.
    var domain: String { String(issuer.dropFirst("https://".count).dropLast()) }

    /// Address of the web app on which people approve.
    var approver: String { issuer + "approver" }

    /// A link that enrols one phone in the web app.
    func enrollmentLink() throws -> String {
        String(try ticket(["--link"]).prefix { $0 != "\n" })
    }

    /// The enrolment URI that `countersign device ticket` prints.
    func enrollmentURI() throws -> String {
        let lines = try ticket([]).split(separator: "\n")
        guard let uri = lines.first(where: { $0.hasPrefix("otpauth://") }) else {
            throw DemoFailure("countersign device ticket printed no otpauth URI")
        }
        return String(uri)
    }

    /// The output of `countersign device ticket`.
    private func ticket(_ options: [String]) throws -> String {
        let process = Process()
        let output = Pipe()
        process.executableURL = programs.appendingPathComponent("countersign")
        process.arguments = ["device", "ticket", "--data", data.path, "--user", userID] + options
        process.standardOutput = output
        try process.run()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        try DemoFailure.check("the exit status of countersign device ticket", process.terminationStatus, is: 0)
        return String(decoding: bytes, as: UTF8.self)
    }
}
