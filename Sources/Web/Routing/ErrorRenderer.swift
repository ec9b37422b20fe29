package import HTTPModel

/// The one place that catches errors and turns them into responses.
package struct ErrorRenderer: Sendable {
    /// Characters of a detail that are logged. Some quote input.
    static let detailLimit = 300

    /// Gets the private detail of an error, with the request's id and the answer's status.
    package let log: @Sendable (_ requestID: String, _ detail: String, _ status: Int) -> Void

    package init(log: @escaping @Sendable (_ requestID: String, _ detail: String, _ status: Int) -> Void) {
        self.log = log
    }

    /// The response of `body`, or the rendered error that it throws.
    package func answering(
        _ request: Request, in style: ErrorStyle, _ body: () async throws -> Response
    ) async -> Response {
        do { return try await body() } catch { return response(for: error, to: request, in: style) }
    }

    package func response(for error: any Error, to request: Request, in style: ErrorStyle) -> Response {
        let failure = error as? any ResponseError ?? ServerFailure(error, of: request)
        let response =
            if case .page(let pages) = style {
                pages.response(for: failure)
            } else {
                failure.response(in: style, to: request)
            }
        // A server error is never silent.
        if let detail = failure.logDetail ?? (response.status == 500 ? "\(failure)" : nil) {
            note(detail, response.status, request)
        }
        return response
    }

    /// Logs the private detail of a failure, also of one that does not change the answer.
    package func note(_ detail: String, _ status: Int, _ request: Request) {
        log(request.id, String(detail.prefix(Self.detailLimit)), status)
    }
}
