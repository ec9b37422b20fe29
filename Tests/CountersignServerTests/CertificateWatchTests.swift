import Foundation
import MicroHTTPServer
import OpenSSLCrypto
import Primitives
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
        let watch = CertificateWatch(clock: clock, timer: timer, log: log) {
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

    @Test("A certificate that clients refuse by its dates has a warning")
    func dates() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "countersign-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let made = Samples.start
        let certificate = try LocalCA(folder: folder.path, now: made).serverCertificate(names: ["localhost"], now: made)
        let identity = TLSIdentity(
            certificateChainPEM: String(decoding: certificate.certificatePEM, as: UTF8.self), privateKeyPEM: "")
        #expect(CertificateWatch.warning(of: identity, now: made) == nil)
        let late = CertificateWatch.warning(of: identity, now: made + .seconds(398 * 86_400))
        #expect(late?.contains("tls-certificate expired at ") == true, "\(late ?? "")")
        let early = CertificateWatch.warning(of: identity, now: made - .seconds(7200))
        #expect(early?.contains("is not valid before ") == true, "\(early ?? "")")
    }
}
