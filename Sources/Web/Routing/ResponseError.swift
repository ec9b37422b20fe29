package import HTTPModel

/// A failure that renders itself as a response. `ErrorRenderer` turns all other errors into a `ServerFailure`.
package protocol ResponseError: Error {
    /// Private detail. Nil logs nothing.
    var logDetail: String? { get }

    /// Renders the failure for programs. `style` is any but `.page`.
    func response(in style: ErrorStyle, to request: Request) -> Response
}

/// Form of a route's errors.
package enum ErrorStyle: Sendable {
    /// `{"error","error_description"}`. Never `errorCode`, which would hide `error` from Auth0's SDKs.
    case oauth
    /// The same for a resource that access tokens open, with the error in `WWW-Authenticate`, too (RFC 6750 clause 3).
    case bearer
    /// `{"statusCode","error","message","errorCode"}`. A 401 asks for the scheme (RFC 9110 clause 15.5.2).
    case device(scheme: String)
    /// The same members, as the Management API has them.
    case management
    /// A page for a person.
    case page(any FailurePages)
}

/// Renders failures for the person at a browser.
package protocol FailurePages: Sendable {
    func response(for failure: any ResponseError) -> Response
}

extension Response {
    /// A JSON answer that no cache keeps (RFC 6749 clause 5.1).
    package static func json(_ body: [UInt8], status: Int = 200) -> Response {
        Response(status: status, fields: uncachedJSON, body: .bytes(body))
    }

    private static let uncachedJSON: HTTPFields = ["Content-Type": "application/json", "Cache-Control": "no-store"]
}
