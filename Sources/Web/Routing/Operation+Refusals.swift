package import APIDescription
import JSONSchema

extension Operation {
    /// Answers of protocol endpoints to requests that are refused. `shape` names the component of the error's body.
    package static func refusals(_ shape: String, _ statuses: [Int]) -> [Answer] {
        let texts: [Int: String] = [
            400: "The request is not valid; the description says what to change",
            401: "The sender is not authenticated",
            403: "The proof does not match, or rights are missing",
            404: "Not found, or no tenant has this host name",
            411: "The body has no Content-Length",
            413: "The body is too large",
            429: "Too many requests; Retry-After says how long to wait",
            503: "The server cannot do this now; the description says whether it may have been done",
        ]
        return statuses.map { Answer($0, texts[$0] ?? "", .reference(shape)) }
    }

    /// Preflight of the resource whose operation has that id.
    static func preflight(of id: String) -> Operation {
        Operation(
            "\(id)_preflight", "List methods and fields for scripts of other origins", tag: "Scripts",
            details: "The CORS protocol of the Fetch Standard.",
            answers: [Answer(204, "The allowed methods and fields")] + refusals("OAuthError", [400, 404]))
    }
}
