public import Foundation
import GuardianWire
import Primitives

/// What the user is asked to consent to.
public struct Consent: Sendable {
    public let consentId: String
    public let requestedDetails: ConsentRequestedDetails
    /// Who asks; nil where the server does not say.
    public let client: ConsentClient?
    public let createdAt: Date
    /// After this moment no answer counts.
    public let expiresAt: Date

    init(_ record: ConsentRecord) {
        consentId = record.id
        requestedDetails = ConsentRequestedDetails(record.requestedDetails)
        client = record.client.map { ConsentClient(clientId: $0.clientID, name: $0.name) }
        createdAt = Date(record.createdAt)
        expiresAt = Date(record.expiresAt)
    }
}

/// The application that asks.
public struct ConsentClient: Sendable, Hashable {
    public let clientId: String
    public let name: String
}

/// The request's details. Show every one of them: what is not shown was not consented to.
public struct ConsentRequestedDetails: Sendable {
    /// The API that tokens will be for.
    public let audience: String
    public let scope: [String]
    /// What each scope allows, in words; scopes without a text are missing.
    public let scopeDescriptions: [String: String]
    /// What the user should see on the asking side too.
    public let bindingMessage: String?
    /// RFC 9396; each element has a `type`.
    public let authorizationDetails: [Json]
    /// The server's id of that array.
    public let authorizationDetailsId: String?

    init(_ details: ConsentRecord.RequestedDetails) {
        audience = details.audience
        scope = details.scope ?? []
        scopeDescriptions = details.scopeDescriptions
        bindingMessage = details.bindingMessage
        authorizationDetails = (details.authorizationDetails ?? []).map { Json(.object($0)) }
        authorizationDetailsId = details.authorizationDetailsID
    }

    /// The elements of one type, as the app's own values. Elements of other types, and those that do not decode, are
    /// left out: an app must still show them to the user.
    public func filterAuthorizationDetailsByType<Details: AuthorizationDetailsType>(
        _ type: Details.Type
    ) -> [Details] {
        authorizationDetails
            .filter { $0["type"]?.stringValue == Details.type }
            .compactMap { try? JSONDecoder().decode(Details.self, from: $0.data) }
    }
}

/// One type of authorization details (RFC 9396 clause 2), as a value of the app.
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
