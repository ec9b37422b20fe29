import TestSupport
import Testing

@Suite("countersign healthcheck")
struct HealthcheckTests {
    @Test(
        "It succeeds while the server is ready, with and without TLS, and fails without a server",
        arguments: [[], ["--tls", "off"]])
    func ready(options: [String]) async throws {
        let server = try await RunningServer(in: Folder(), options)
        let command = ["healthcheck", "--port", String(server.port)] + options
        let ready = try await server.command(command)
        #expect(ready.status == 0 && ready.output == "ready\n", "\(ready.errors)")
        #expect(await server.stop() == 0)
        let gone = try await server.command(command)
        #expect(gone.status == 1 && gone.errors.contains("is the server running"), "\(gone.errors)")
        #expect(gone.output.isEmpty)
    }
}
