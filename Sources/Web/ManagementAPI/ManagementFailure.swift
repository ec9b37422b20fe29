import AuthorizationCore
package import Configuration
import GuardianWire
package import HTTPModel
package import Routing

/// Error of the Management API, with Auth0's messages and codes.
struct ManagementFailure: ResponseError, Equatable {
    let status: Int
    let message: String
    /// Path of the body's member, or name of the query's parameter, that is wrong. Nil if the failure is of something else.
    var member: String?
    /// Problem of that member alone.
    var problem: String?
    /// Nil means no code.
    var code: String?
    /// Seconds for Retry-After. Nil sends none.
    var retryAfter: Int?
    var logDetail: String? { nil }

    init(_ status: Int, _ message: String, code: String? = nil) {
        self.status = status
        self.message = message
        self.code = code
    }

    static let missingToken = ManagementFailure(401, "Missing authentication")
    static let invalidToken = ManagementFailure(401, "Invalid token", code: "invalid_token")

    /// `wait` are seconds until one more request fits.
    static func tooManyRequests(wait: Int) -> ManagementFailure {
        var failure = ManagementFailure(429, "Global limit has been reached", code: "too_many_requests")
        failure.retryAfter = wait
        return failure
    }

    static func tooManyDownloads(limit: Int) -> ManagementFailure {
        var failure = ManagementFailure(
            429, "\(limit) files of exports are being fetched; wait until one is done", code: "too_many_requests")
        failure.retryAfter = 10
        return failure
    }

    /// `member` is the path of the body member that requires the scopes. Nil means the operation.
    static func insufficientScope(
        _ sets: [[String]], of scopes: Set<String>, toSend member: [String]? = nil
    ) -> ManagementFailure {
        // All scopes would hide the missing ones.
        if sets.count == 1, sets[0].count > 20 {
            return wider(than: sets[0].filter { !scopes.contains($0) }, "an operation that may change everything")
        }
        let names = sets.map { $0.joined(separator: "+") }.joined(separator: ",")
        let purpose = member.map { ", to send \($0.joined(separator: "."))" } ?? ""
        return ManagementFailure(
            403, "Insufficient scope, expected any of: \(names)\(purpose)", code: "insufficient_scope")
    }

    /// Refuses to grant or acquire scopes that the token does not have.
    private static func wider(than missing: [String], _ action: String) -> ManagementFailure {
        ManagementFailure(
            403, "Insufficient scope: \(action) needs a token that has them itself: \(missing.joined(separator: ", "))",
            code: "insufficient_scope")
    }

    /// `path` names a member. Empty means the whole body.
    static func invalidBody(_ message: String, at path: String = "") -> ManagementFailure {
        var failure = ManagementFailure(
            400, "Payload validation error: \(problem(message, at: path)).", code: "invalid_body")
        failure.member = path
        failure.problem = message
        return failure
    }

    private static func problem(_ message: String, at path: String) -> String {
        "'\(message)'" + (path.isEmpty ? "" : " on property \(path)")
    }

    static func invalidQuery(_ message: String, at name: String) -> ManagementFailure {
        var failure = ManagementFailure(
            400, "Query validation error: '\(message)' on property \(name).", code: "invalid_query_string")
        failure.member = name
        failure.problem = message
        return failure
    }

    static func invalidPath(_ message: String, at name: String) -> ManagementFailure {
        ManagementFailure(400, "Path validation error: '\(message)' on property \(name).", code: "invalid_uri")
    }

    init(_ failure: AdministrationFailure) {
        switch failure {
        case .unknown(.emailProvider):
            self.init(404, "There is not a configured email provider", code: "inexistent_email_provider")
        case .unknown(let kind):
            let stop = kind == .user ? "." : ""
            self.init(404, "The \(kind.words) does not exist\(stop)", code: "inexistent_\(kind.rawValue)")
        case .conflict(.user, _): self.init(409, "The user already exists.", code: "user_exists")
        case .conflict(.emailProvider, _):
            self.init(409, "There is an e-mail provider already; change that one", code: "email_provider_conflict")
        case .conflict(let kind, let property):
            let one = kind.oneInWords.prefix(1).uppercased() + kind.oneInWords.dropFirst()
            self.init(409, "\(one) with the same \(property) already exists", code: "\(kind.rawValue)_conflict")
        case .invalid(let problems):
            let texts = problems.map { Self.problem($0.message, at: $0.path) }
            self.init(400, "Payload validation error: \(texts.joined(separator: "; ")).", code: "invalid_body")
        case .unsupported(let reason): self.init(400, reason, code: "operation_not_supported")
        case .tooMany(let reason, let wait):
            self.init(429, "Too many mails: \(reason)", code: "too_many_requests")
            retryAfter = max(1, Int(wait.components.seconds))
        case .tooManyJobs(let limit):
            self.init(
                429, "There are \(limit) unfinished jobs of this kind; wait until one is done",
                code: "too_many_requests")
            retryAfter = 10
        case .beyondOwnScopes(let action, let missing): self = .wider(than: missing, action)
        }
    }

    func response(in style: ErrorStyle, to request: Request) -> Response {
        var response: Response = .failure(
            status, message, code: code.map { GuardianErrorBody.Code(rawValue: $0) }, in: style)
        if let retryAfter { response.fields.set("Retry-After", String(retryAfter)) }
        return response
    }
}

extension AdministrationFailure: ResponseError {
    package var logDetail: String? { nil }

    package func response(in style: ErrorStyle, to request: Request) -> Response {
        ManagementFailure(self).response(in: style, to: request)
    }
}
