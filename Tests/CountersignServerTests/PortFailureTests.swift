import Glibc
import Testing

@testable import CountersignServer

@Suite("Ports that cannot be used")
struct PortFailureTests {
    @Test(
        "Each reason has its way out, by the setting of the port",
        arguments: [
            ("port", EACCES, ["CAP_NET_BIND_SERVICE", "--port"]), ("port", EADDRINUSE, ["another program", "--port"]),
            ("mtls-port", EACCES, ["CAP_NET_BIND_SERVICE", "--mtls-port none"]),
            ("metrics-port", EADDRINUSE, ["--metrics-port none"]), ("port", EADDRNOTAVAIL, ["--address "]),
            ("metrics-port", EADDRNOTAVAIL, ["--metrics-address "]),
        ])
    func hints(setting: String, reason: Int32, words: [String]) {
        let hint = PortFailure.hint(setting, reason)
        for word in words { #expect(hint.contains(word), "\(hint)") }
        #expect(hint.contains(" none") == (setting != "port" && reason != EADDRNOTAVAIL), "\(hint)")
    }
}
