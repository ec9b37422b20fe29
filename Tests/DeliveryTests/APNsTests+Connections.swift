import AuthorizationCore
import Delivery
import Flows
import GuardianWire
import HTTPModel
import JOSE
import OpenSSLCrypto
import Primitives
import Synchronization
import TestSupport
import Testing

extension APNsTests {
    @Test("A team's name that another tenant typed leads to no connection of its key")
    func connections() async throws {
        let made = Counter()
        let http = RecordingHTTP { _ in ClientResponse(200) }
        let services = try MobilePushServices(hashing: Samples.hashing, appleConnections: 512) { _, _ in
            made.add()
            return http
        }
        let others = made.value
        let message = try fixture().notification(fixture().device())
        for (key, count) in [("own", 1), ("own", 1), ("other", 2), ("own", 2)] {
            let configuration = MobilePushFixture.configuration(try MobilePushFixture.apple(key: key))
            let provider = try services.providers(OneTenant(configuration)).first.orThrow("no provider")
            #expect(await provider.send(message, now: Samples.start).result == .delivered)
            #expect(made.value - others == count)
        }
    }

    @Test("As many keys as the setting allows keep their connections, and an hour without use frees one")
    func manyConnections() async throws {
        let made = Counter()
        let http = RecordingHTTP { _ in ClientResponse(200) }
        let services = try MobilePushServices(hashing: Samples.hashing, appleConnections: 2) { _, _ in
            made.add()
            return http
        }
        let others = made.value
        let message = try fixture().notification(fixture().device())
        func send(_ key: String, _ wait: Int) async throws -> Int {
            let configuration = MobilePushFixture.configuration(try MobilePushFixture.apple(key: key))
            let provider = try services.providers(OneTenant(configuration)).first.orThrow("no provider")
            _ = await provider.send(message, now: Samples.start + .seconds(wait))
            return made.value - others
        }
        for round in 0..<3 {
            #expect(try await send("a", round) == 1 + (round > 0 ? 1 : 0))
            #expect(try await send("b", round) == 2)
        }
        _ = try await send("b", 5)
        #expect(try await send("c", 10) == 3, "the least recently used one, a, is closed")
        #expect(try await send("b", 11) == 3)
        #expect(try await send("a", 12) == 4)
        #expect(try await send("d", 4000) == 5, "all others were idle for an hour")
        #expect(try await send("a", 4001) == 6)
        #expect(try await send("d", 4001) == 6)
    }

    @Test("A service that asks for a pause rests with its key; a pause for one device's token does not rest it")
    func rest() async throws {
        for (status, name, isOfDevice) in [(503, "ServiceUnavailable", false), (429, "TooManyRequests", true)] {
            let fixture = try fixture(reason(status, name, ["Retry-After": "7"]))
            _ = try await fixture.send()
            let next = try await fixture.send(fixture.notification(fixture.device()), at: fixture.now + .seconds(1))
            if case .notTried(_, let wait) = next {
                #expect(!isOfDevice && wait == .seconds(6))
            } else {
                #expect(isOfDevice)
            }
        }
    }
}
