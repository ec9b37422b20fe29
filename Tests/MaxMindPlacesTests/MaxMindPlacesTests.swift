import ApprovalWire
import Foundation
import MaxMindPlaces
import Synchronization
import Testing

@Suite("Places of addresses")
struct MaxMindPlacesTests {
    private let file = FileManager.default.temporaryDirectory.appendingPathComponent("places-\(UUID().uuidString).mmdb")

    private static func entry(_ city: String, german: String? = nil) -> DatabaseWriter.Value {
        var names = ["en": city]
        names["de"] = german
        return .map([
            ("city", .names(names)),
            ("country", .names(["en": "Germany", "de": "Deutschland", "fr": "Allemagne"])),
            ("subdivisions", .list([.names(["en": "Bavaria", "de": "Bayern"]), .names(["en": "Ignored"])])),
        ])
    }

    private func write(_ fill: (inout DatabaseWriter) -> Void) throws {
        var writer = DatabaseWriter()
        fill(&writer)
        try Data(writer.bytes).write(to: file, options: .atomic)
    }

    private func places(_ problems: Problems = Problems()) throws -> MaxMindPlaces {
        try MaxMindPlaces(file.path) { problems.add($0) }
    }

    private final class Problems: Sendable {
        private let all = Mutex<[String]>([])
        var count: Int { all.withLock { $0.count } }
        func add(_ problem: String) { all.withLock { $0.append(problem) } }
    }

    @Test("A place is city, region and country in each language, in English where the database has no other name")
    func names() throws {
        defer { try? FileManager.default.removeItem(at: file) }
        try write { $0.add([192, 0, 2, 0], bits: 24, Self.entry("Munich", german: "München")) }
        let place = try #require(try places().place(of: "192.0.2.77"))
        #expect(place.name(in: "en") == "Munich, Bavaria, Germany")
        #expect(place.name(in: "de") == "München, Bayern, Deutschland")
        #expect(place.name(in: "fr") == "Munich, Bavaria, Allemagne")
        #expect(place.name(in: "it") == place.name(in: "en"))
    }

    @Test("A name that comes twice in a row is named once, and parts that are missing are left out")
    func parts() throws {
        defer { try? FileManager.default.removeItem(at: file) }
        try write { writer in
            writer.add(
                [192, 0, 2, 0], bits: 25,
                .map([("city", .names(["en": "Berlin"])), ("subdivisions", .list([.names(["en": "Berlin"])]))]))
            writer.add([192, 0, 2, 128], bits: 25, .map([("country", .names(["en": "Iceland"]))]))
        }
        let places = try places()
        #expect(places.place(of: "192.0.2.1")?.name(in: "en") == "Berlin")
        #expect(places.place(of: "192.0.2.200")?.name(in: "de") == "Iceland")
    }

    @Test(
        "An address without an entry, an entry without names, and a text that is no address have no place",
        arguments: ["198.51.100.7", "2001:db8::1", "", "localhost", "192.0.2.1", "192.0.2.300"])
    func unknown(address: String) throws {
        defer { try? FileManager.default.removeItem(at: file) }
        try write { writer in
            writer.add([192, 0, 2, 0], bits: 24, .map([("city", .names(["en": String(repeating: "x", count: 101)]))]))
        }
        #expect(try places().place(of: address) == nil)
    }

    @Test("A file that is cut off in its place ends nothing: places come from a copy")
    func cutOff() throws {
        defer { try? FileManager.default.removeItem(at: file) }
        try write { $0.add([192, 0, 2, 0], bits: 24, Self.entry("Munich")) }
        let places = try places()
        let handle = try FileHandle(forWritingTo: file)
        try handle.truncate(atOffset: 0)
        try handle.close()
        #expect(places.place(of: "192.0.2.77")?.name(in: "en") == "Munich, Bavaria, Germany")
    }

    @Test(
        "A file that takes the database's place is used at once; one that cannot be read is told once, and changes nothing"
    )
    func replaced() throws {
        defer { try? FileManager.default.removeItem(at: file) }
        try write { $0.add([192, 0, 2, 0], bits: 24, Self.entry("Munich")) }
        let problems = Problems()
        let places = try places(problems)
        try write { $0.add([192, 0, 2, 0], bits: 24, Self.entry("Ulm")) }
        #expect(places.place(of: "192.0.2.1")?.name(in: "en") == "Ulm, Bavaria, Germany")
        try Data("no database".utf8).write(to: file, options: .atomic)
        for _ in 0..<2 { #expect(places.place(of: "192.0.2.1")?.name(in: "en") == "Ulm, Bavaria, Germany") }
        #expect(problems.count == 1)
        try FileManager.default.removeItem(at: file)
        #expect(places.place(of: "192.0.2.1")?.name(in: "en") == "Ulm, Bavaria, Germany")
    }

    @Test("A missing file, an empty one and one that is cut off are no database")
    func broken() throws {
        defer { try? FileManager.default.removeItem(at: file) }
        #expect(throws: MaxMindPlaces.Failure.self) { _ = try places() }
        try write { $0.add([192, 0, 2, 0], bits: 24, Self.entry("Munich")) }
        let whole = try Data(contentsOf: file)
        for count in [0, 10, whole.count / 2] {
            try whole.prefix(count).write(to: file, options: .atomic)
            let failure = #expect(throws: MaxMindPlaces.Failure.self) { _ = try places() }
            #expect(failure?.description.contains(file.path) == true)
        }
    }
}
