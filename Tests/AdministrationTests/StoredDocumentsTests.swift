import Administration
import AuthorizationCore
import JOSE
import Primitives
import TestSupport
import Testing

@Suite("Stored documents")
struct StoredDocumentsTests {
    @Test("A tenant with nothing but what is required has every default")
    func tenantDefaults() throws {
        let read = try StoredDocuments.tenant(["id": "dev", "name": "Dev", "host": "dev.example"])
        #expect(read == Tenant(id: TenantID("dev"), name: "Dev", hosts: ["dev.example"]))
        #expect(try StoredDocuments.tenant(.object(read.document)) == read)
    }

    @Test(
        "A client, with each way its grants may be",
        arguments: [nil, [:], ["a": nil], ["a": []], ["a": ["s"], "b": nil]])
    func clients(grants: [String: Set<String>?]?) throws {
        let client = Samples.client { client in
            client.grants = grants
            client.notificationChannels = grants == nil ? nil : [.email]
        }
        let read = try StoredDocuments.client(.object(client.document), secretHashes: client.secretHashes)
        #expect(read == client)
    }

    @Test("An API without scopes, types and name")
    func bareResourceServer() throws {
        let read = try StoredDocuments.resourceServer(["identifier": "a"])
        #expect(read.name == "a")
        #expect(try StoredDocuments.resourceServer(.object(read.document)).document == read.document)
    }

    @Test("A role without permissions and description")
    func bareRole() throws {
        let role = Role(id: RoleID("r"), name: "R", description: "", permissions: [])
        #expect(try StoredDocuments.role(.object(role.document)) == role)
    }

    @Test("A connection of each strategy, with all and with nothing of what is optional")
    func connections() throws {
        let issuer = try #require(EndpointURL("https://idp.example/"))
        let endpoints = OAuth2Endpoints(authorization: issuer, token: issuer, userInfo: issuer)
        var full = endpoints
        full.emails = issuer
        let dialects: [UpstreamProvider.Dialect] = [
            .openIDConnect(issuer: issuer), .oauth2(endpoints), .oauth2(full), .github(url: issuer, apiURL: issuer),
        ]
        var kinds = [LoginConnection.Kind.database(allowsSignUp: false), .database(allowsSignUp: true)]
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
                    .object(connection.document), sealedSecret: connection.upstream?.sealedSecret ?? [])
                #expect(read == connection)
            }
        }
    }

    @Test("A field that this version does not know is refused, with its name")
    func unknown() throws {
        let problem = try #require(throws: DocumentProblem.self) {
            try StoredDocuments.role(["id": "r", "name": "R", "newer": 1])
        }
        #expect(problem.path == "newer")
    }
}
