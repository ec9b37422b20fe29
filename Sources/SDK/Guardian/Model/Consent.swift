import ApprovalWire
public import Foundation
import GuardianWire
import Primitives

/// A request that the user should consent to.
public struct Consent: Sendable {
    /// The id of the record, ``Notification/transactionLinkingId`` of its notification.
    public let consentId: String
    public let requestedDetails: ConsentRequestedDetails
    /// The client that asks. Nil means that the server does not name it.
    public let client: ConsentClient?
    public let createdAt: Date
    /// Expiry. Later answers are refused.
    public let expiresAt: Date
    /// The request as one JSON text, exactly as the server keeps it. All properties but
    /// ``ConsentRequestedDetails/authorizationDetailsId`` are read from it. Nil for a server without such records, as
    /// Auth0's.
    public let record: String?
    /// SHA-256 of the record's UTF-8, in base64url. An answer that is given with this consent signs it.
    public let requestDigest: String?
    /// Three numbers, one of which the asking program displays: let the person pick it, and pass it to
    /// ``Authentication/allow(notification:consent:pick:)``. Empty if no number has to be picked.
    public let matchingChoices: [MatchingNumber]
    /// True if the asking program displays a number of two digits that the person types: show a field for it, and pass
    /// the number to ``Authentication/allow(notification:consent:pick:)``. ``matchingChoices`` is empty then.
    public let asksTypedNumber: Bool
    /// The login that asks for a second factor. Nil for another request, and from a server that does not tell it.
    public let login: ConsentLogin?
    /// True if the phone should make a sound for the request even in the person's quiet hours.
    public let isUrgent: Bool
    /// Labels, order and formats of the details.
    let presentation: [JSONObject]

    /// Takes everything from the record if there is one, so that nothing is shown that is not signed.
    init(_ consent: ConsentRecord) throws {
        guard let text = consent.record else {
            self.init(withoutRecord: consent)
            return
        }
        let read = try RequestRecord(parsing: text)
        guard read.id == consent.id else { throw ApprovalFailure.invalid("record.id", expected: "the consent's id") }
        self.init(read, detailsID: consent.requestedDetails.authorizationDetailsID)
    }

    private init(withoutRecord consent: ConsentRecord) {
        consentId = consent.id
        requestedDetails = ConsentRequestedDetails(consent.requestedDetails)
        client = consent.client.map {
            ConsentClient(clientId: $0.clientID, name: $0.name, logo: nil, isFirstParty: nil)
        }
        createdAt = Date(consent.createdAt)
        expiresAt = Date(consent.expiresAt)
        (record, requestDigest) = (nil, nil)
        (matchingChoices, asksTypedNumber, login, isUrgent, presentation) = ([], false, nil, false, [])
    }

    init(_ read: RequestRecord, detailsID: String?) {
        consentId = read.id
        requestedDetails = ConsentRequestedDetails(read, id: detailsID)
        client = ConsentClient(
            clientId: read.client.id, name: read.client.name,
            logo: read.display.clientLogo.flatMap { URL(string: $0) }.flatMap { $0.scheme == "https" ? $0 : nil },
            isFirstParty: read.display.isFirstParty)
        createdAt = Date(read.createdAt)
        expiresAt = Date(read.expiresAt)
        record = read.text
        requestDigest = read.digest(platformHashing).description
        matchingChoices = read.display.matchingChoices.map { MatchingNumber($0) }
        asksTypedNumber = read.display.isNumberTyped
        login = read.display.login.map(ConsentLogin.init)
        isUrgent = read.display.isUrgent
        presentation = read.display.presentation
    }
}

/// The client that asks, as registered at the server. The name is the choice of the person who registered it.
public struct ConsentClient: Sendable, Hashable {
    public let clientId: String
    public let name: String
    /// `https` URL of its logo. Nil means that it has none, or that the server does not tell it.
    public let logo: URL?
    /// True if the client belongs to the organization whose server this is, false for another party's. Nil means that
    /// the server does not tell it.
    public let isFirstParty: Bool?
}

/// Details of the request. Show all of them: the user consents only to details that were shown.
public struct ConsentRequestedDetails: Sendable {
    /// Identifier of the API that the tokens are for.
    public let audience: String
    /// Name of that API. Nil means that the server does not tell it.
    public let audienceName: String?
    /// Names of the requested rights, in the order of the request.
    public let scope: [String]
    /// Descriptions of scopes. Scopes without a description are missing.
    public let scopeDescriptions: [String: String]
    /// Text that the user should also see on the asking device.
    public let bindingMessage: String?
    /// Authorization details (RFC 9396). Each element has a `type`.
    public let authorizationDetails: [Json]
    /// The server's id of that array.
    public let authorizationDetailsId: String?

    init(_ details: ConsentRecord.RequestedDetails) {
        audience = details.audience
        audienceName = nil
        scope = details.scope ?? []
        scopeDescriptions = details.scopeDescriptions
        bindingMessage = details.bindingMessage
        authorizationDetails = (details.authorizationDetails ?? []).map { Json(.object($0)) }
        authorizationDetailsId = details.authorizationDetailsID
    }

    init(_ record: RequestRecord, id: String?) {
        audience = record.audience.id
        audienceName = record.audience.name
        scope = record.scope.map(\.value)
        scopeDescriptions = record.scope.reduce(into: [:]) { $0[$1.value] = $1.description }
        bindingMessage = record.bindingMessage
        authorizationDetails = record.authorizationDetails.map { Json(.object($0)) }
        authorizationDetailsId = id
    }

    /// The details of one type, decoded to the app's type. Details of other types and those that do not decode are
    /// omitted, but must still be shown to the user.
    public func filterAuthorizationDetailsByType<Details: AuthorizationDetailsType>(_ type: Details.Type) -> [Details] {
        authorizationDetails
            .filter { $0["type"]?.stringValue == Details.type }
            .compactMap { try? JSONDecoder().decode(Details.self, from: $0.data) }
    }
}

/// A type of authorization details (RFC 9396 clause 2) as an app's type.
///
/// ```swift
/// struct Payment: AuthorizationDetailsType {
///     static let type = "payment"
///     let amount: Double
///     let currency: String
/// }
/// ```
public protocol AuthorizationDetailsType: Codable {
    /// The value of the member `type`.
    static var type: String { get }
}

extension AuthorizationDetailsType {
    /// The value of the member `type`.
    public var type: String { Self.type }
}
