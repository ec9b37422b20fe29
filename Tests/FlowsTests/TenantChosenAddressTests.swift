import AuthorizationCore
import CurlTransport
import Delivery
import Foundation
import Glibc
import HTTPModel
import Localization
import OAuthWire
import Primitives
import TestSupport
import Testing

@testable import Flows

/// A port of this machine that counts connections.
private final class Door: Sendable {
    let port: UInt16
    private let listener: Int32

    init() throws {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isOpen = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 16) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        guard isOpen else { throw POSIXError(.EADDRINUSE) }
        port = UInt16(bigEndian: address.sin_port)
    }

    deinit { close(listener) }

    /// True if there was a connection since the last call.
    var wasKnockedAt: Bool {
        let peer = accept(listener, nil, nil)
        if peer >= 0 { close(peer) }
        return peer >= 0
    }
}

@Suite("Server-side request forgery: all requests to addresses that tenants choose")
struct TenantChosenAddressTests {
    struct Feature: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Failure as the tenant sees it. Nil means success.
        let ask: @Sendable (any OutgoingHTTPClient, EndpointURL) async -> String?
    }

    /// Every use of the port by the flows. The compiler lets none of them send otherwise.
    static let features = [
        Feature(testDescription: "a client's jwks_uri") { client, url in
            let keys = PublishedClientKeys(client: client) { _ in }
            return await keys.keys(at: url, now: Samples.start) { _ in true } == nil ? "no keys" : nil
        },
        Feature(testDescription: "a client's logout URL") { client, url in
            do {
                try await LogoutTokenSender(http: client, clock: ManualClock()).notify(
                    url.description, logoutToken: "token")
                return nil
            } catch {
                return (error as? LogoutNotSent)?.reason ?? "\(error)"
            }
        },
        Feature(testDescription: "an old server") { client, url in
            do {
                _ = try await OldServers(client: client) { _ in }.answer(
                    to: OldServers.Question(email: "ann@example.org", password: nil, connection: "db"),
                    by: OldServer(endpoint: url, sealedSecret: []), secret: "secret",
                    RequestContext(configuration: try Samples.configuration(), now: Samples.start))
                return nil
            } catch {
                // The page says the same of every failure.
                return "\(error is OldServerFailure)"
            }
        },
        Feature(testDescription: "an issuer's description") { client, url in
            await text { _ = try await UpstreamProviders(client: client).provider(url, now: Samples.start) }
        },
        Feature(testDescription: "userinfo and keys of a provider") { client, url in
            await text { _ = try await UpstreamProviders(client: client).http.get(url, bearer: "token") }
        },
        Feature(testDescription: "a provider's token endpoint") { client, url in
            await text {
                _ = try await UpstreamProviders(client: client).http.send(
                    .post, url, basic: "c2VjcmV0", accept: "application/json", form: FormFields([]))
            }
        },
    ]

    /// Text of a login page, all that a tenant sees of the failure.
    private static func text(_ body: () async throws -> Void) async -> String? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? UpstreamFailure)?.text(provider: "Provider")[.english] ?? "\(error)"
        }
    }

    @Test("Nothing reaches this machine, by address or by a name that resolves to it", arguments: features)
    func refused(_ feature: Feature) async throws {
        let door = try Door()
        let client = try OutgoingTransport(OutgoingPolicy())
        for host in ["127.0.0.1", "localhost", "[::1]"] {
            for scheme in ["http", "https"] {
                let url = try #require(EndpointURL("\(scheme)://\(host):\(door.port)/x?y"))
                #expect(await feature.ask(client, url) != nil)
                #expect(!door.wasKnockedAt, "\(feature) at \(url)")
            }
        }
        let policy = OutgoingPolicy(allowing: OutgoingPolicy.loopback)
        let url = try #require(EndpointURL("https://127.0.0.1:\(door.port)/x"))
        let asking = Task { await feature.ask(try OutgoingTransport(policy), url) }
        while !door.wasKnockedAt { try await Task.sleep(for: .milliseconds(5)) }
        asking.cancel()
        _ = await asking.result
    }

    @Test("An open, a closed and a forbidden port look the same to the tenant", arguments: features)
    func oracle(_ feature: Feature) async throws {
        var closed: UInt16 = 0
        do { closed = try Door().port }
        let open = try Door()
        let forbidding = try OutgoingTransport(OutgoingPolicy())
        let allowing = try OutgoingTransport(OutgoingPolicy(allowing: OutgoingPolicy.loopback))
        func told(_ client: any OutgoingHTTPClient, _ port: UInt16) async throws -> String? {
            await feature.ask(client, try #require(EndpointURL("https://localhost:\(port)/")))
        }
        let refused = try await told(forbidding, open.port)
        #expect(refused != nil)
        #expect(try await told(forbidding, closed) == refused)
        #expect(try await told(allowing, closed) == refused)
    }
}
