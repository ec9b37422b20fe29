import Testing

@Suite("The doors of the delivery queue are known")
struct DeliveryDoorTests {
    /// The file that adds entries, each with its queue's announcement. An entry that another file added would wait for
    /// the worker's next look at the queue.
    private static let door = "Sources/Adapters/Persistence/Store+Delivery.swift"

    @Test("One file adds entries to the queue, and announces each queue but those beside the device channel")
    func listed() throws {
        let adding = try Repository.files(in: "Sources", ending: ".swift").filter { path in
            try Repository.text(path).contains("INSERT INTO delivery")
        }
        #expect(adding == [Self.door])
        let text = try Repository.text(Self.door)
        // Entries of flows, of the device channel with its push, of a push alone, of ended sessions, and one that was sent
        // already.
        #expect(text.split(separator: "INSERT INTO delivery").count - 1 == 5)
        #expect(text.split(separator: ".note(").count - 1 == 3)
    }
}
