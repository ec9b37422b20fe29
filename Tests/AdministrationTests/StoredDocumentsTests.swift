import Administration
import AuthorizationCore
import Configuration
import JOSE
import OAuthWire
import Primitives
import TestSupport
import TestTools
import Testing
import X509

@Suite("Stored documents")
struct StoredDocumentsTests {
    @Test("A tenant with only required fields has every default")
    func tenantDefaults() throws {
        let read = try StoredDocuments.tenant(["id": "dev", "name": "Dev", "host": "dev.example"])
        #expect(read == Tenant(id: TenantID("dev"), name: "Dev", hosts: ["dev.example"]))
        #expect(try StoredDocuments.tenant(.object(read.document)) == read)
    }

    @Test(
        "A client with each form of grants",
        arguments: [nil, [:], ["a": nil], ["a": []], ["a": ["s"], "b": nil]])
    func clients(grants: [String: Set<String>?]?) throws {
        let client = Samples.client { client in
            if let grants { client.limit(to: grants) }
            client.notificationChannels = grants == nil ? nil : [.email]
        }
        let read = try StoredDocuments.client(.object(client.document), secretHashes: client.secretHashes)
        #expect(read == client)
    }

    @Test("A client of the authorization code flow with every field")
    func codeFlowClient() throws {
        let callback = try #require(RedirectURI(registering: "com.example.app:/callback"))
        let origin = try #require(WebOrigin(registering: "https://a.example"))
        let client = Samples.client { client in
            client.authenticationMethod = .none
            client.secretHashes = []
            client.grantTypes = [.authorizationCode, .refreshToken]
            client.redirectURIs = [callback]
            client.allowedLogoutURLs = ["https://a.example/bye"]
            client.webOrigins = [origin]
            client.allowedOrigins = [origin]
            client.refreshTokens.rotates = false
            client.refreshTokens.leeway = 3
            client.refreshTokens.lifetime = 3600
            client.refreshTokens.idleLifetime = 60
            client.requiresPushedAuthorizationRequests = true
            client.requiresProofKey = true
            client.backchannelLogoutURL = "https://a.example/logout"
            client.logoURL = "https://a.example/logo.png"
            client.mobile = MobileApps(
                apple: MobileApps.AppleApp(teamID: "ABCDE12345", bundleID: "com.example.app"),
                android: MobileApps.AndroidApp(
                    packageName: "com.example.app",
                    fingerprints: [[String](repeating: "AF", count: 32).joined(separator: ":")]))
        }
        #expect(try StoredDocuments.client(.object(client.document), secretHashes: []) == client)
    }

    @Test("Origins stored unread by an earlier version take effect; an invalid list is only kept")
    func storedOrigins() throws {
        let origin = try #require(WebOrigin(registering: "https://a.example"))
        var old = Samples.client()
        old.additional = ["web_origins": ["https://A.example"], "allowed_origins": ["https://*.example"], "other": 1]
        let read = try StoredDocuments.client(.object(old.document), secretHashes: old.secretHashes)
        #expect(read.webOrigins == [origin])
        #expect(read.allowedOrigins == [])
        #expect(read.additional == ["allowed_origins": ["https://*.example"], "other": 1])
        #expect(try StoredDocuments.client(.object(read.document), secretHashes: old.secretHashes) == read)
    }

    @Test("Mobile apps stored unread by an earlier version take effect; invalid ones are only kept")
    func storedApps() throws {
        let ios: JSONValue = ["team_id": "ABCDE12345", "app_bundle_identifier": "com.example.app"]
        var old = Samples.client()
        old.additional = ["mobile": ["ios": ios, "android": [:]], "other": 1]
        let read = try StoredDocuments.client(.object(old.document), secretHashes: old.secretHashes)
        #expect(read.mobile?.apple?.appID == "ABCDE12345.com.example.app")
        #expect(read.mobile?.android == nil)
        #expect(read.additional == ["other": 1])
        for wrong: JSONValue in [["ios": ["team_id": "short"]], "text", ["ios": ios, "windows": [:]]] {
            old.additional = ["mobile": wrong]
            let kept = try StoredDocuments.client(.object(old.document), secretHashes: old.secretHashes)
            #expect(kept.mobile == nil)
            #expect(kept.additional == ["mobile": wrong])
        }
    }

    @Test("A client of each method without a secret, with every kind of credential")
    func clientsWithoutSecret() throws {
        let certificate = try #require(Certificate(der: TestAuthority.selfSigned("agent").der))
        var key = try #require(certificate.publicKey)
        let dn = "CN=agent,O=Example"
        let names: [CertificateName] = [
            .subject(try #require(DistinguishedName(dn)), text: dn), .dns("a.example"), .uri("urn:a"),
            .address(try #require(IPAddress("2001:db8::7"))), .email("a@example.com"),
        ]
        let methods: [(Client.AuthenticationMethod, [ClientCredential.Content])] = [
            (.privateKeyJWT, [.publicKey(key)]), (.tlsClientAuth, names.map { .name($0) }),
            (.selfSignedTLSClientAuth, [.certificate(certificate)]),
        ]
        for (method, contents) in methods {
            var client = Samples.client { $0.secretHashes = [] }
            client.authenticationMethod = method
            client.credentials = contents.enumerated().map { index, content in
                ClientCredential(
                    id: ClientCredentialID("cred_\(index)"), name: index == 0 ? "first" : nil, content: content,
                    createdAt: Samples.start, expiresAt: index == 0 ? Samples.start + .seconds(60) : nil)
            }
            client.jwksURI = EndpointURL("https://client.example/keys")
            client.bindsTokensToCertificate = true
            #expect(try StoredDocuments.client(.object(client.document), secretHashes: []) == client)
            client.jwksURI = nil
            key.certificate = certificate.der
            client.jwks = JWKSet(keys: [key])
            #expect(try StoredDocuments.client(.object(client.document), secretHashes: []) == client)
        }
    }

    @Test("A tenant with every login setting")
    func loginSettings() throws {
        let tenant = Samples.tenant { tenant in
            tenant.settings.sessionLifetime = 7200
            tenant.settings.sessionIdleLifetime = 3600
            tenant.settings.loginsPerMinutePerAddress = 5
            tenant.settings.multiFactor = .always
            tenant.settings.bruteForceProtection.attemptsPerAddress = 3
            tenant.settings.bruteForceProtection.attemptsPerAddressInAll = 40
            tenant.settings.bruteForceProtection.attemptsPerAccount = 30
            tenant.settings.bruteForceProtection.window = 120
            tenant.settings.passwordMinimumLength = 12
            tenant.settings.approvalRetention = 86_400
            tenant.settings.verifiesEmails = false
            tenant.settings.linksVerifiedEmails = true
            tenant.settings.allowedLogoutURLs = ["https://a.example/bye"]
            tenant.settings.branding.primaryColor = "#0a5c36"
            tenant.settings.branding.logoURL = "https://a.example/logo.svg"
        }
        #expect(try StoredDocuments.tenant(.object(tenant.document)) == tenant)
        let short = try StoredDocuments.tenant([
            "id": "a", "name": "a", "host": "a.example", "settings": ["session_lifetime": 3600],
        ])
        #expect(short.settings.sessionIdleLifetime == 3600, "no session is idle for longer than it lives")
        let behindProxy = try StoredDocuments.tenant([
            "id": "a", "name": "a", "host": "a.example",
            "settings": ["brute_force_protection": ["attempts_per_address": 500]],
        ])
        #expect(behindProxy.settings.bruteForceProtection.attemptsPerAddressInAll == 500)
    }

    @Test(
        "refresh_token as Auth0 sends it, including numbers as texts",
        arguments: [
            ([:], nil, 0, nil, nil), (["rotation_type": "rotating", "leeway": "10"], true, 10, nil, nil),
            (["token_lifetime": "2592000", "idle_token_lifetime": 1_296_000], nil, 0, 2_592_000, 1_296_000),
            (["infinite_token_lifetime": true, "idle_token_lifetime": 60], nil, 0, 31_557_600, 60),
            (["infinite_idle_token_lifetime": true, "idle_token_lifetime": 60], nil, 0, nil, nil),
            (
                ["rotation_type": "non-rotating", "expiration_type": "non-expiring", "token_lifetime": 60], false, 0,
                31_557_600, nil
            ),
        ] as [(JSONValue, Bool?, Int, Int?, Int?)])
    func refreshTokens(policy: JSONValue, rotates: Bool?, leeway: Int, lifetime: Int?, idle: Int?) throws {
        let read = try StoredDocuments.client(
            ["client_id": "c", "name": "c", "refresh_token": policy], secretHashes: []
        ).refreshTokens
        #expect(read.rotates == rotates)
        #expect(read.leeway == leeway)
        #expect(read.lifetime == lifetime)
        #expect(read.idleLifetime == idle)
    }

    @Test("An API without scopes, types or name")
    func bareResourceServer() throws {
        let read = try StoredDocuments.resourceServer(["identifier": "a"])
        #expect(read.name == "a")
        #expect(try StoredDocuments.resourceServer(.object(read.document)).document == read.document)
    }

    @Test("A tenant that demands evidence")
    func tenantEvidence() throws {
        for demand in EvidenceDemand.allCases.map(Optional.some) + [nil] {
            let tenant = Samples.tenant { $0.settings.evidence = demand }
            #expect(try StoredDocuments.tenant(.object(tenant.document)) == tenant)
        }
    }

    @Test("An API that demands evidence, or of one type of details, and puts approvals into tokens")
    func evidence() throws {
        var api = ResourceServer(identifier: "a", name: "A")
        api.authorizationDetailsTypes = ["payment", "note"].map { .init(type: $0, schemaSource: nil) }
        api.authorizationDetailsTypes[0].evidence = .signedDigest
        for (demand, carries) in [(nil, false), (.signedDigest, true)] as [(EvidenceDemand?, Bool)] {
            api.evidence = demand
            api.carriesApproval = carries
            let read = try StoredDocuments.resourceServer(.object(api.document))
            #expect(read.evidence == demand)
            #expect(read.carriesApproval == carries)
            #expect(read.authorizationDetailsTypes.map(\.evidence) == [.signedDigest, nil])
        }
    }

    @Test("A role without permissions or description")
    func bareRole() throws {
        let role = Role(id: RoleID("r"), name: "R", description: "", permissions: [])
        #expect(try StoredDocuments.role(.object(role.document)) == role)
    }

    @Test("A connection of each strategy, with and without optional fields")
    func connections() throws {
        let issuer = try #require(EndpointURL("https://idp.example/"))
        let endpoints = OAuth2Endpoints(authorization: issuer, token: issuer, userInfo: issuer)
        var full = endpoints
        full.emails = issuer
        let dialects: [UpstreamProvider.Dialect] = [
            .openIDConnect(issuer: issuer), .oauth2(endpoints), .oauth2(full), .github(url: issuer, apiURL: issuer),
        ]
        var kinds: [LoginConnection.Kind] = [
            .database(allowsSignUp: false), .database(allowsSignUp: true),
            .database(allowsSignUp: true, hasUsernames: true),
        ]
        for members in [Set(OldServer.Member.allCases), [.name], []] {
            let server = OldServer(endpoint: issuer, sealedSecret: [3], timeout: 2, members: members)
            kinds.append(.database(allowsSignUp: true, oldServer: server))
        }
        for dialect in dialects {
            var provider = UpstreamProvider(
                dialect: dialect, clientID: "c", sealedSecret: [1, 2], scope: "openid")
            kinds.append(.upstream(provider))
            if case .github = dialect { continue }
            provider.authenticationMethod = .clientSecretPost
            provider.attributes = [.nickname: "login", .emailVerified: "verified"]
            kinds.append(.upstream(provider))
        }
        for kind in kinds {
            for clients in [nil, [], [ClientID("a")]] as [Set<ClientID>?] {
                let connection = LoginConnection(name: "n", displayName: "N", kind: kind, enabledClients: clients)
                let read = try StoredDocuments.connection(
                    .object(connection.document), sealedSecret: connection.sealedSecret ?? [])
                #expect(read == connection)
            }
        }
    }

    @Test("An unknown field is refused by name")
    func unknown() throws {
        let problem = try #require(throws: DocumentProblem.self) {
            try StoredDocuments.role(["id": "r", "name": "R", "newer": 1])
        }
        #expect(problem.path == "newer")
    }
}
