import Workbench
import Load

/// Token requests of the code flow, after a login in a browser.
extension Bench {
    mutating func measureLogins(_ fixture: BenchmarkFixture, _ server: ServerUnderTest, _ nginx: Nginx) async throws {
        progress("logging \(fixture.visitors.count) users in")
        let fixture = try await LoginLoad(server: server, users: fixture.visitors)
        let speed = try opensslSpeed().ecdsap256
        if options.parts.contains(.codes) {
            rows.append(try await measureCodes(fixture, server, nginx, signatures: speed.sign))
        }
        if options.parts.contains(.refresh) {
            rows.append(try await measureRefresh(fixture, server, nginx, signatures: speed.sign))
        }
        if options.parts.contains(.userinfo) {
            rows.append(try await measureUserInfo(fixture, server, nginx, verifications: speed.verify))
        }
        await fixture.close()
    }

    private func measureCodes(
        _ fixture: LoginLoad, _ server: ServerUnderTest, _ nginx: Nginx, signatures: Double
    ) async throws -> Row {
        progress("code exchanges")
        let batch = options.isQuick ? 2000 : 4000
        // All codes at once: they are redeemed well within their lifetime of a minute.
        let codes = try await fixture.codes(batch * rounds, scope: "openid")
        var rest = codes[...]
        var cost: [Double] = []
        let (reference, value) = try profiling(.codes, server) {
            try taking(turns: rounds, reference: { try nginxRate(nginx) }) {
                let measurement = try metered(server, &cost) {
                    try exchange(rest.prefix(batch * App.codeSize), server).measurement
                }
                rest = rest.dropFirst(batch * App.codeSize)
                return measurement.rate
            }
        }
        return Row(
            name: "code exchanges, ES256", value: value, unit: "1/s", reference: reference,
            referenceName: "nginx 400 JSON",
            note:
                "a public client, PKCE, an ID token and an access token of \(formatted(Double(fixture.userCount))) users in turn, durable; a core "
                + "makes \(formatted(signatures)) signatures a second (openssl speed), which is \(formatted(signatures / 2)) "
                + "exchanges; \(formatted(median(cost))) us of the server's processor time each")
    }

    private func measureRefresh(
        _ fixture: LoginLoad, _ server: ServerUnderTest, _ nginx: Nginx, signatures: Double
    ) async throws -> Row {
        progress("refreshes")
        // Each round has its own families, because requests in flight at its end are lost.
        let batch = 1000
        let codes = try await fixture.codes(batch * rounds, scope: "offline_access")
        var rest = try exchange(codes[...], keeping: "refresh_token", server).tokens[...]
        let request = App(host: server.host).refresh()
        let threads = threads
        var cost: [Double] = []
        let (reference, value) = try profiling(.refresh, server) {
            try taking(turns: rounds, reference: { try nginxRate(nginx) }) {
                let families = Array(rest.prefix(batch))
                rest = rest.dropFirst(batch)
                let share = families.count / threads
                let measurement = try metered(server, &cost) {
                    try load(server.port, warmUp: .zero).run { number in
                        RefreshScenario(
                            request: request, families: Array(families[number * share..<(number + 1) * share]))
                    }
                }
                try check(measurement, "refreshes")
                return measurement.rate
            }
        }
        return Row(
            name: "refreshes, rotating, ES256", value: value, unit: "1/s", reference: reference,
            referenceName: "nginx 400 JSON", goal: .ratioAtLeast(0.08),
            note:
                "a public client, a new refresh token and an access token of \(formatted(Double(batch))) families in "
                + "turn, durable; a core makes \(formatted(signatures)) signatures a second (openssl speed), one for "
                + "each; \(formatted(median(cost))) us of the server's processor time each")
    }

    private func measureUserInfo(
        _ fixture: LoginLoad, _ server: ServerUnderTest, _ nginx: Nginx, verifications: Double
    ) async throws -> Row {
        progress("/userinfo")
        let codes = try await fixture.codes(fixture.userCount, scope: "openid profile email")
        let app = App(host: server.host)
        let requests = try exchange(codes[...], server).tokens.map(app.userInfo)
        let share = requests.count / threads
        var cost: [Double] = []
        let (reference, value) = try profiling(.userinfo, server) {
            try taking(turns: rounds, reference: { try nginxRate(nginx) }) {
                let measurement = try metered(server, &cost) {
                    try load(server.port, warmUp: .zero).run { number in
                        RepeatScenario(Array(requests[number * share..<(number + 1) * share]), expecting: 200)
                    }
                }
                try check(measurement, "/userinfo")
                return measurement.rate
            }
        }
        return Row(
            name: "/userinfo", value: value, unit: "1/s", reference: reference, referenceName: "nginx 400 JSON",
            note:
                "an ES256 access token of each of \(formatted(Double(requests.count))) users in turn; a core verifies "
                + "\(formatted(verifications)) signatures a second (openssl speed); "
                + "\(formatted(median(cost))) us of the server's processor time each")
    }

    /// Exchanges codes, each once.
    private func exchange(
        _ codes: ArraySlice<UInt8>, keeping kind: StaticString = "access_token", _ server: ServerUnderTest
    ) throws -> (measurement: Measurement, tokens: [[UInt8]]) {
        var load = load(server.port, warmUp: .zero)
        load.duration = .seconds(30)
        let request = App(host: server.host).exchange()
        let tokens = ExchangeScenario.Tokens()
        let share = codes.count / App.codeSize / threads * App.codeSize
        let measurement = try load.run { number in
            let first = codes.startIndex + number * share
            return ExchangeScenario(
                request: request, codes: codes[first..<first + share], keeping: kind, in: tokens)
        }
        try check(measurement, "code exchanges")
        return (measurement, tokens.all)
    }

    /// Adds the microseconds of processor time that the server used for each answer.
    func metered(
        _ server: ServerUnderTest, _ cost: inout [Double], _ body: () throws -> Measurement
    ) throws -> Measurement {
        let before = try server.meter.processorSeconds()
        let measurement = try body()
        let used = try server.meter.processorSeconds() - before
        cost.append(used / Double(max(1, measurement.answers)) * 1e6)
        return measurement
    }
}
