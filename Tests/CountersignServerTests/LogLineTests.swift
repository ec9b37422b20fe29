@testable import CountersignServer
import Testing

@Suite("Lines of the log")
struct LogLineTests {
    private func line(_ format: Log.Format, _ value: String) -> String {
        var line = LogLine(format, time: Array("T".utf8), level: .info, event: "request")
        line.add("path", value)
        return String(decoding: line.end(), as: UTF8.self)
    }

    @Test("Characters that reorder, hide or break a line on a terminal are escaped in both formats")
    func invisible() {
        let value = "/a\u{202E}b\u{9B}c\u{7F}d\u{2028}e\u{E0041}f\"g\n"
        let escaped = #""/a\u202eb\u009bc\u007fd\u2028e\udb40\udc41f\"g\n""#
        #expect(line(.json, value) == #"{"time":"T","level":"info","event":"request","path":\#(escaped)}"# + "\n")
        #expect(line(.text, value) == "T info request path=\(escaped)\n")
    }

    @Test("Printable text is written unchanged")
    func readable() {
        #expect(line(.text, "/plain?x") == "T info request path=/plain?x\n")
        #expect(line(.text, "Zoë €5 😀") == "T info request path=\"Zoë €5 😀\"\n")
        #expect(line(.text, "") == "T info request path=\"\"\n")
    }
}
