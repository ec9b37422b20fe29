import ApprovalWire
import AuthorizationCore
import GuardianWire
import Localization
import OAuthWire
import Primitives

extension RequestRecord {
    /// Maximum bytes of a record.
    static let limit = 256 * 1024

    /// Record of a new request, with the names and descriptions that the user is shown.
    init(
        _ consent: ConsentID, of client: ClientID, to user: User, for audience: String, scope: ScopeSet,
        message: String, details: JSONValue?, matching: NumberMatching?, login: Login? = nil,
        configuration: TenantConfiguration,
        createdAt: Timestamp, expiresAt: Timestamp, random: some RandomSource
    ) throws(OAuthError) {
        let tenant = configuration.tenant
        let api = configuration.resourceServers[audience]
        let details = details?.arrayValue?.compactMap(\.objectValue) ?? []
        let registered = configuration.registered(client)
        var display = Display()
        display.clientLogo = registered?.client.logoURL
        display.isFirstParty = registered?.client.isFirstParty ?? (OwnPage.Kind(client) != nil)
        switch matching {
        case .choose: display.matchingChoices = MatchingNumber.choices(random)
        case .type: display.isNumberTyped = true
        case nil: break
        }
        if matching != nil { display.language = user.language?.rawValue }
        display.login = login
        display.add(details, registeredBy: api)
        self.init(
            id: consent.rawValue, issuer: tenant.issuer, tenant: tenant.id.rawValue,
            client: Party(id: client.rawValue, name: configuration.name(of: client)),
            user: user.id.rawValue, audience: Party(id: audience, name: api?.name ?? tenant.name),
            scope: scope.tokens.map { token in
                let description = api?.scopes.first { $0.value == token }?.description
                return Scope(value: token, description: description.flatMap { $0.isEmpty ? nil : $0 })
            },
            bindingMessage: message, authorizationDetails: details, display: display, createdAt: createdAt,
            expiresAt: expiresAt, salt: Base64URL.encode(random.bytes(16)))
        // Phones and receipts take texts of that size. Details have a limit of their own; scopes' descriptions have not.
        guard text.utf8.count <= Self.limit else {
            throw OAuthError(
                .invalidScope,
                "The request and the descriptions of its scopes have \(text.utf8.count) bytes; at most \(Self.limit) "
                    + "can be shown. Ask for fewer scopes.")
        }
    }
}

extension TenantConfiguration {
    /// The name that people are shown of a client, or of a page of this server in its place.
    func name(of client: ClientID) -> String {
        self.client(client)?.name ?? (OwnPage.Kind(client) != nil ? tenant.name : client.rawValue)
    }
}
