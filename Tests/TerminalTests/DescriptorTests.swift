import Glibc
import Primitives
import Testing

@testable import Terminal

/// A pseudo-terminal, or a pipe, to type into.
private final class Ends: Sendable {
    let ours: Int32
    let theirs: Int32

    init(ours: Int32, theirs: Int32) {
        self.ours = ours
        self.theirs = theirs
    }

    static func pseudoTerminal() throws -> Ends {
        let master = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        try #require(master >= 0)
        // TIOCSPTLCK and TIOCGPTN, which the Glibc module does not show.
        var locked: Int32 = 0
        var number: UInt32 = 0
        try #require(ioctl(master, 0x4004_5431, &locked) == 0 && ioctl(master, 0x8004_5430, &number) == 0)
        let slave = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
        try #require(slave >= 0)
        return Ends(ours: master, theirs: slave)
    }

    static func pipe() throws -> Ends {
        var ends: [Int32] = [-1, -1]
        try #require(Glibc.pipe(&ends) == 0)
        return Ends(ours: ends[1], theirs: ends[0])
    }

    deinit {
        close(ours)
        close(theirs)
    }

    func type(_ text: String) {
        let bytes = Array(text.utf8)
        _ = write(ours, bytes, bytes.count)
    }

    /// The next character that the terminal shows.
    func shown() async -> Character? {
        await onOwnThread { [ours] in
            var byte: UInt8 = 0
            return read(ours, &byte, 1) == 1 ? Character(UnicodeScalar(byte)) : nil
        } ?? nil
    }
}

@Suite("Terminals, pipes and signals", .timeLimit(.minutes(1)))
struct DescriptorTests {
    @Test("Lines are read one at a time, and the rest stays for the next reader")
    func lines() async throws {
        let ends = try Ends.pipe()
        let input = TextInput.descriptor(ends.theirs)
        ends.type("first\r\nsecond\nünd")
        #expect(!input.isTerminal)
        #expect(await input.readLine() == "first")
        #expect(await input.readLine() == "second")
    }

    @Test("The end of the input is not a line")
    func end() async throws {
        let null = open("/dev/null", O_RDONLY)
        defer { close(null) }
        #expect(await TextInput.descriptor(null).readLine() == nil)
    }

    @Test("A line is read from a terminal")
    func terminal() async throws {
        let ends = try Ends.pseudoTerminal()
        let input = TextInput.descriptor(ends.theirs)
        #expect(input.isTerminal)
        ends.type("yes\n")
        #expect(await input.readLine() == "yes")
    }

    @Test("A cancelled question ends without an answer")
    func cancelled() async throws {
        let ends = try Ends.pseudoTerminal()
        let question = Task { await TextInput.descriptor(ends.theirs).readLine() }
        question.cancel()
        #expect(await question.value == nil)
    }

    @Test("A half line that was typed at a cancelled question is no part of the next answer")
    func halfLine() async throws {
        let ends = try Ends.pseudoTerminal()
        let input = TextInput.descriptor(ends.theirs)
        let question = Task { await input.readLine() }
        ends.type("y")
        #expect(await ends.shown() == "y", "it has arrived")
        question.cancel()
        #expect(await question.value == nil)
        ends.type("n\n")
        #expect(await input.readLine() == "n")
    }

    @Test("SIGINT and SIGTERM arrive in the stream instead of ending the process")
    func signals() async throws {
        var received = try TerminationSignal.stream().makeAsyncIterator()
        kill(getpid(), SIGTERM)
        #expect(await received.next() == .terminate)
        kill(getpid(), SIGINT)
        #expect(await received.next() == .interrupt)
    }
}
