import AuthorizationCore
@testable import Flows
import Primitives
import TestSupport
import Testing

@Suite("Refresh token secrets")
struct RefreshTokenSecretsTests {
    private let tenant = TenantConfiguration(refreshing: TenantID("dev"))
    private let family = [UInt8](1...16)

    private func secrets(_ byte: UInt8 = 5) -> RefreshTokenSecrets {
        RefreshTokenSecrets(key: SecretBytes([UInt8](repeating: byte, count: 32)), hashing: Samples.hashing)
    }

    @Test("A token has v1.M and 60 characters, and its issuer reads it", arguments: [0, 1, 255, 256, 0xFFFF_FFFF])
    func roundTrip(counter: Int) throws {
        let token = secrets().token(family: family, counter: counter, of: tenant)
        #expect(token.hasPrefix("v1.M"))
        #expect(token.utf8.count == 64)
        #expect(secrets().token(family: family, counter: counter, of: tenant) == token, "derived, not random")
        let read = try #require(secrets().read(token, of: tenant))
        #expect(read.family == family)
        #expect(read.counter == counter)
    }

    @Test("A token changed in any character is invalid")
    func tampered() {
        let token = Array(secrets().token(family: family, counter: 3, of: tenant).utf8)
        for index in token.indices {
            var changed = token
            changed[index] = changed[index] == 0x41 ? 0x42 : 0x41
            #expect(secrets().read(String(decoding: changed, as: UTF8.self), of: tenant) == nil, "\(index)")
        }
        let text = String(decoding: token, as: UTF8.self)
        #expect(secrets(6).read(text, of: tenant) == nil, "another key")
        #expect(secrets().read(text, of: TenantConfiguration(refreshing: TenantID("other"))) == nil, "another tenant")
        let moved = TenantConfiguration(refreshing: TenantID("dev"), with: secrets().key(of: TenantID("dev")))
        #expect(secrets(6).read(text, of: moved) != nil, "a tenant that brought its key along")
        #expect(secrets().read(secrets(6).token(family: family, counter: 3, of: moved), of: tenant) != nil)
        #expect(secrets().key(of: TenantID("other")).bytes != secrets().key(of: TenantID("dev")).bytes)
        for broken in ["", "v1.M", text + "A", String(text.dropLast()), "v2.M" + text.dropFirst(4), text + "é"] {
            #expect(secrets().read(broken, of: tenant) == nil, "\(broken)")
        }
    }

    @Test("A holder of one token cannot derive another of its family")
    func successor() {
        let one = secrets().token(family: family, counter: 1, of: tenant)
        let two = secrets().token(family: family, counter: 2, of: tenant)
        let mac = one.suffix(33)
        #expect(secrets().read(String(two.dropLast(33)) + String(mac), of: tenant) == nil)
    }
}

extension TenantConfiguration {
    /// A tenant of which only refresh tokens matter.
    convenience init(refreshing id: TenantID, with key: SecretBytes? = nil) {
        self.init(
            tenant: Samples.tenant(id.rawValue), clients: [], resourceServers: [], roles: [],
            keys: KeyRing(current: [], published: [], refreshTokens: key))
    }
}
