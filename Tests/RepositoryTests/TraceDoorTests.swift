import Testing

@Suite("Traces leave this server for few")
struct TraceDoorTests {
    @Test("The field traceparent goes to clients' logout addresses, and to no push service, provider or mail server")
    func listed() throws {
        let naming = try Repository.files(in: "Sources", ending: ".swift").filter { path in
            try Repository.text(path).contains("\"traceparent\"")
        }
        #expect(
            naming.sorted() == [
                // Sent.
                "Sources/Adapters/Delivery/LogoutTokenSender.swift",
                // Received.
                "Sources/Web/Routing/Gate+Trace.swift",
            ])
    }
}
