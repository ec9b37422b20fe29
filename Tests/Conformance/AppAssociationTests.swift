import AuthorizationCore
import HTTPModel
import OAuthWire
import Primitives
import TestSupport
import Testing

@Suite("Universal Links and App Links")
struct AppAssociationTests {
    private static let apple = "/.well-known/apple-app-site-association"
    private static let android = "/.well-known/assetlinks.json"
    private static let one = fingerprint("AA")
    private static let two = fingerprint("0B")

    private static func fingerprint(_ pair: String) -> String {
        [String](repeating: pair, count: 32).joined(separator: ":")
    }

    private static func app(_ id: String, _ apple: String?, _ android: (String, [String])? = nil) -> Client {
        Samples.app(id) { client in
            client.mobile = MobileApps(
                apple: apple.map { MobileApps.AppleApp(teamID: "ABCDE12345", bundleID: $0) },
                android: android.map { MobileApps.AndroidApp(packageName: $0.0, fingerprints: $0.1) })
        }
    }

    private static func server(_ clients: [Client]) async throws -> InProcessServer {
        try await InProcessServer { $0.clients += clients }
    }

    @Test("Apple, Supporting associated domains: both paths serve applinks and webcredentials without a redirect")
    func appleFile() async throws {
        let server = try await Self.server([
            Self.app("second", "com.example.two"), Self.app("first", "com.example.one"),
            Self.app("again", "com.example.one", ("com.example.one", [Self.one])),
        ])
        for path in [Self.apple, "/apple-app-site-association"] {
            let answer = await server.send(.get(path))
            #expect(answer.status == 200)
            #expect(answer.fields["Content-Type"] == "application/json")
            #expect(
                answer.json == [
                    "applinks": [
                        "details": [
                            [
                                "appIDs": ["ABCDE12345.com.example.one"],
                                "components": [["/": "/ios/com.example.one/callback"]],
                            ],
                            [
                                "appIDs": ["ABCDE12345.com.example.two"],
                                "components": [["/": "/ios/com.example.two/callback"]],
                            ],
                        ]
                    ], "webcredentials": ["apps": ["ABCDE12345.com.example.one", "ABCDE12345.com.example.two"]],
                ])
        }
    }

    @Test("Digital Asset Links: a package has one statement, with the certificates of all its clients")
    func androidFile() async throws {
        let server = try await Self.server([
            Self.app("release", nil, ("com.example.app", [Self.one])),
            Self.app("debug", nil, ("com.example.app", [Self.two, Self.one])),
        ])
        let answer = await server.send(.get(Self.android))
        #expect(answer.status == 200)
        #expect(answer.fields["Content-Type"] == "application/json")
        #expect(
            answer.json == [
                [
                    "relation": ["delegate_permission/common.handle_all_urls"],
                    "target": [
                        "namespace": "android_app", "package_name": "com.example.app",
                        "sha256_cert_fingerprints": [.string(Self.two), .string(Self.one)],
                    ],
                ]
            ])
    }

    @Test("Neither file names a third-party app, because it could catch another client's links")
    func thirdParty() async throws {
        var third = Self.app("third", "com.example.third", ("com.example.app", [Self.two]))
        third.isFirstParty = false
        let server = try await Self.server([
            Self.app("first", "com.example.one", ("com.example.app", [Self.one])), third,
        ])
        for path in [Self.apple, Self.android] {
            let text = await server.send(.get(path)).text
            #expect(text.contains("com.example."))
            #expect(!text.contains("com.example.third") && !text.contains(Self.two), "\(text)")
        }
    }

    @Test("RFC 9110 13: both files are cacheable and answer conditional requests with 304")
    func caching() async throws {
        let server = try await Self.server([Self.app("first", "com.example.one", ("com.example.one", [Self.one]))])
        for path in [Self.apple, Self.android] {
            let answer = await server.send(.get(path))
            #expect(answer.fields["Cache-Control"] == "public, max-age=300")
            let tag = try answer.fields["ETag"].orThrow("no ETag")
            #expect(await server.send(.get(path, fields: ["If-None-Match": tag])).status == 304)
            #expect(await server.send(.form(path, [:])).status == 405)
        }
    }

    @Test("A tenant without apps, and another tenant's host, list no apps")
    func none() async throws {
        let server = try await Self.server([Self.app("first", "com.example.one", ("com.example.one", [Self.one]))])
        let empty: JSONValue = ["applinks": ["details": []], "webcredentials": ["apps": []]]
        #expect(await server.send(.get(Self.apple, host: InProcessServer.otherHost)).json == empty)
        #expect(await server.send(.get(Self.android, host: InProcessServer.otherHost)).json == [])
    }

    @Test("Both files stay below 128 KiB, the most that Apple and Google read, for any number of apps")
    func size() async throws {
        let clients = (0..<1200).map { index in
            let name = "com.example.app\(1000 + index).with.a.rather.long.name.of.its.own.that.takes.its.place"
            return Self.app("app-\(index)", name, (name, [Self.one, Self.two]))
        }
        let server = try await Self.server(clients)
        for path in [Self.apple, Self.android] {
            let answer = await server.send(.get(path))
            #expect((50_000..<131_072).contains(answer.body.count), "\(answer.body.count)")
            #expect(answer.text.contains("com.example.app1000."))
        }
    }

    // MARK: page behind an unopened link

    /// Request of a browser when no app opened the link.
    private static func link(
        _ app: String, _ query: String = "code=the-code&state=the-state", fields: HTTPFields = [:]
    ) -> Request {
        var request = Request.get("\(app)/callback", fields: fields)
        request.query = query
        return request
    }

    @Test(
        "A link that no app opened leads to an explaining page, which leaks the code to nobody",
        arguments: ["/ios/com.example.one", "/android/com.example.one"])
    func page(app: String) async throws {
        let server = try await InProcessServer { setup in
            setup.tenant.settings.branding.logoURL = "https://img.example/logo.svg"
        }
        let answer = await server.send(Self.link(app))
        #expect(answer.status == 200)
        #expect(answer.text.contains("Return to the app"))
        expectGuarded(answer)
        #expect(answer.fields["Referrer-Policy"] == "no-referrer")
        #expect(answer.fields["Set-Cookie"] == nil)
        for secret in ["the-code", "the-state", "img.example"] { #expect(!answer.text.contains(secret)) }
        let root = try Markup.read(answer.body)
        for element in root.all {
            let address = element["href"] ?? element["src"] ?? ""
            #expect(address.isEmpty || address.hasPrefix("/assets/") || address == "#main", "\(address)")
        }
        let french = await server.send(Self.link(app, fields: ["Accept-Language": "fr-CA,fr"]))
        #expect(french.text.contains("Retournez à l’application"))
        #expect(await server.send(Self.link(app, "error=access_denied&error=twice&%")).status == 200)
    }

    @Test(
        "Paths beside an app's callback are 404",
        arguments: [
            "/ios/callback", "/ios//callback", "/ios/com.example.one", "/ios/com.example.one/callback/",
            "/ios/com.example.one/more/callback", "/android/com.example.one/logout", "/windows/com.example/callback",
        ])
    func nothingElse(path: String) async throws {
        let server = try await InProcessServer()
        #expect(await server.send(.get(path)).status == 404)
    }
}
