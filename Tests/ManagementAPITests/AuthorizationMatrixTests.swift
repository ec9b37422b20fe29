import AuthorizationCore
import HTTPModel
import JSONSchema
import OAuthWire
import Primitives
import TestSupport
import Testing

/// Calls every operation of the OpenAPI document with tokens that it must refuse.
@Suite("Management API: authorization")
struct AuthorizationMatrixTests {
    private struct Place {
        let method: HTTPMethod
        let path: String
        let scopes: [[String]]

        var name: String { "\(method) \(path)" }
    }

    /// Fills in path parameters.
    private func places() async throws -> [Place] {
        try await ManagementFixture.paths.filter { $0.name.hasPrefix("/api/v2/") }.flatMap { path, item in
            (item.objectValue ?? [:]).map { method, operation in
                Place(
                    method: HTTPMethod(method.uppercased()),
                    path: String(path.dropFirst("/api/v2".count)).replacing("{", with: "x").replacing("}", with: "x"),
                    scopes: (operation["security"]?.arrayValue ?? []).compactMap { $0["bearer"]?.stringsValue })
            }
        }
    }

    @Test("Every operation requires scopes, and all of them exist")
    func scopesExist() async throws {
        let places = try await places()
        #expect(places.count > 5)
        let known = Set(ResourceServer.managementScopes)
        for place in places {
            #expect(!place.scopes.isEmpty, "\(place.name)")
            for scope in place.scopes.joined() { #expect(known.contains(scope), "\(place.name) asks for \(scope)") }
        }
    }

    @Test("Every operation × every missing scope: 403 that names the missing scopes, and nothing changes")
    func missingScopes() async throws {
        let fixture = try await ManagementFixture()
        let places = try await places()
        let before = try await fixture.server.dump()
        let all = Set(ResourceServer.managementScopes)
        var desks: [Set<String>: ManagementFixture] = [:]
        for place in places {
            for missing in Self.choices(place.scopes) {
                let held = all.subtracting(missing)
                var poorer = desks[held]
                if poorer == nil { poorer = try await fixture.with(scopes: held.sorted()) }
                desks[held] = poorer
                let answer = try await (poorer).orThrow("no token").send(place.method, place.path)
                #expect(answer.status == 403, "\(place.name) without \(missing): \(answer.status) \(answer.text)")
                #expect(answer.code == "insufficient_scope")
                for scope in missing { #expect(answer.message.contains(scope), "\(place.name): \(answer.message)") }
            }
        }
        #expect(try await fixture.server.dump() == before)
    }

    /// Every choice of one scope from each set.
    static func choices(_ sets: [[String]]) -> [Set<String>] {
        sets.reduce([[]]) { choices, set in choices.flatMap { choice in set.map { choice.union([$0]) } } }
    }

    @Test("Another tenant's token, a user's token, an ID token and no token: 401 everywhere")
    func foreignTokens() async throws {
        let fixture = try await ManagementFixture()
        let foreign = await fixture.server.send(
            .form(
                "/oauth/token",
                [
                    "grant_type": "client_credentials", "client_id": "stranger", "client_secret": Samples.secret,
                    "audience": "https://\(InProcessServer.otherHost)/api/v2/",
                ], host: InProcessServer.otherHost))
        let foreignToken = try (foreign["access_token"]?.stringValue).orThrow(foreign.text)
        let phone = try await InProcessPhone(in: fixture.server)
        let started = try await InProcessClient(via: fixture.server).started()
        _ = try await phone.decide(started)
        let users = try await InProcessClient(via: fixture.server).poll(started)
        let texts = try [
            "", "Bearer", "Bearer x", "Bearer x.y.z", "Basic eDp5", "Bearer \(foreignToken)",
            "Bearer " + (users["access_token"]?.stringValue).orThrow(users.text),
            "Bearer " + (users["id_token"]?.stringValue).orThrow(users.text),
        ]
        for place in try await places() {
            for text in texts {
                let answer = await fixture.send(place.method, place.path, authorization: text)
                #expect(answer.status == 401, "\(place.name) with \(text.prefix(20)): \(answer.status)")
                #expect(answer.fields["WWW-Authenticate"]?.hasPrefix("Bearer") == true)
            }
        }
        // This tenant's own token still works.
        #expect(await fixture.get("/roles").status == 200)
    }

    @Test("No client gets a token for the Management API on behalf of a user")
    func noUsers() async throws {
        let fixture = try await ManagementFixture { setup in
            setup.clients[0].limit(to: [ManagementFixture.audience: nil, Samples.api: nil])
        }
        let answer = try await InProcessClient(via: fixture.server).start(["audience": ManagementFixture.audience])
        #expect(answer.status == 400)
        #expect(answer.code == "invalid_target")
    }

    @Test("A client without a grant for the Management API gets no token for it")
    func ungranted() async throws {
        let fixture = try await ManagementFixture { setup in
            setup.clients.append(Samples.client("poor") { $0.grantTypes = [.clientCredentials] })
        }
        let answer = await fixture.server.send(
            .form(
                "/oauth/token",
                [
                    "grant_type": "client_credentials", "client_id": "poor", "client_secret": Samples.secret,
                    "audience": ManagementFixture.audience,
                ]))
        #expect(answer.code == "invalid_target")
    }

    @Test("Too many requests of a client in a minute: 429 until the minute is over")
    func rateLimit() async throws {
        let fixture = try await ManagementFixture { $0.tenant.settings.managementRequestsPerMinute = 3 }
        for remaining in [2, 1, 0] {
            let answer = await fixture.get("/roles")
            #expect(answer.status == 200)
            #expect(answer.fields["x-ratelimit-limit"] == "3")
            #expect(answer.fields["x-ratelimit-remaining"] == "\(remaining)")
        }
        let refused = await fixture.get("/roles")
        #expect(refused.status == 429)
        #expect(refused.code == "too_many_requests")
        fixture.server.advance(.seconds(60))
        #expect(await fixture.get("/roles").status == 200)
    }

    @Test("An unknown path is 404, and a wrong method is 405 with the allowed methods")
    func nowhere() async throws {
        let fixture = try await ManagementFixture()
        #expect(
            await fixture.get("/nothing").json == ["statusCode": 404, "error": "Not Found", "message": "Not Found"])
        let answer = await fixture.send(.put, "/roles")
        #expect(answer.status == 405)
        #expect(answer.fields["Allow"]?.contains("GET") == true)
        #expect(await fixture.send(.get, "/roles", host: "nobody.example").status == 404)
    }
}

@Suite("Management API: declarations")
struct DeclarationTests {
    @Test("Every shape of a query or body is a JSON Schema that this server can compile")
    func shapes() async throws {
        var count = 0
        for (path, item) in try await ManagementFixture.paths {
            for (method, operation) in item.objectValue ?? [:] {
                let bodies = (operation["requestBody"]?["content"]?.objectValue ?? [:]).compactMap {
                    $0.value["schema"]
                }
                let parameters = (operation["parameters"]?.arrayValue ?? []).compactMap { $0["schema"] }
                for schema in bodies + parameters {
                    count += 1
                    do { _ = try JSONSchema(compiling: schema) } catch {
                        Issue.record("\(method) \(path): \(error)")
                    }
                }
            }
        }
        #expect(count > 200)
    }

    @Test("Every operation has a unique name and describes its success")
    func names() async throws {
        var names: Set<String> = []
        for (path, item) in try await ManagementFixture.paths {
            for (method, operation) in item.objectValue ?? [:] {
                let name = try (operation["operationId"]?.stringValue).orThrow("\(method) \(path)")
                #expect(names.insert(name).inserted, "\(name) is there twice")
                let statuses = (operation["responses"]?.objectValue ?? [:]).map(\.name)
                #expect(statuses.contains { $0.hasPrefix("2") || $0.hasPrefix("3") }, "\(name)")
            }
        }
    }
}
