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

    init(_ record: ConsentRecord) {
        consentId = record.id
        requestedDetails = ConsentRequestedDetails(record.requestedDetails)
        client = record.client.map { ConsentClient(clientId: $0.clientID, name: $0.name) }
        createdAt = Date(record.createdAt)
        expiresAt = Date(record.expiresAt)
    }
}

/// The client that asks, as registered at the server. The name is the choice of the person who registered it.
public struct ConsentClient: Sendable, Hashable {
    public let clientId: String
    public let name: String
}

/// Details of the request. Show all of them: the user consents only to details that were shown.
public struct ConsentRequestedDetails: Sendable {
    /// Identifier of the API that the tokens are for.
    public let audience: String
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
        scope = details.scope ?? []
        scopeDescriptions = details.scopeDescriptions
        bindingMessage = details.bindingMessage
        authorizationDetails = (details.authorizationDetails ?? []).map { Json(.object($0)) }
        authorizationDetailsId = details.authorizationDetailsID
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
