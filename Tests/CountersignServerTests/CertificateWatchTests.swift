import MicroHTTPServer
import Synchronization
import TestSupport
import Testing

@testable import CountersignServer

@Suite("Certificate renewal")
struct CertificateWatchTests {
    private final class Listener: Sendable {
        struct Refused: Error {}
        let newest = Mutex(identity("first"))
        let presented = Mutex<[TLSIdentity]>([])

        func present(_ identity: TLSIdentity) throws {
            if identity.privateKeyPEM == "another's" { throw Refused() }
            presented.withLock { $0.append(identity) }
        }
    }

    private static func identity(_ name: String, key: String? = nil) -> TLSIdentity {
        TLSIdentity(certificateChainPEM: name, privateKeyPEM: key ?? name)
    }

    @Test("A renewed certificate is presented once its key matches; a mismatched pair is tried again")
    func renewal() async {
        let clock = ManualClock()
        let timer = ManualTimer(clock)
        let listener = Listener()
        let log = Log(format: .text, level: .error, clock: clock, descriptor: -1)
        defer { log.close() }
        let watch = CertificateWatch(timer: timer, log: log) {
            listener.newest.withLock { $0 }
        } present: {
            try listener.present($0)
        }
        let work = Task { await watch.run(Self.identity("first")) }
        func check() async {
            await timer.awaitSleepers()
            timer.advance(by: CertificateWatch.pause)
            await timer.awaitSleepers()
        }
        await check()
        #expect(listener.presented.withLock { $0 } == [], "nothing is new")
        listener.newest.withLock { $0 = Self.identity("second", key: "another's") }
        await check()
        await check()
        #expect(listener.presented.withLock { $0 } == [])
        listener.newest.withLock { $0 = Self.identity("second") }
        await check()
        await check()
        #expect(listener.presented.withLock { $0 } == [Self.identity("second")])
        work.cancel()
        await work.value
    }
}
