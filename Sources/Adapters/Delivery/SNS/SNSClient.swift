import AuthorizationCore
import HTTPModel
import Primitives

/// Calls actions of Amazon's notification service by its query protocol.
struct SNSClient: Sendable {
    private let http: any OutgoingHTTPClient
    private let hashing: any Hashing
    private let address: String?

    enum Failure: Error {
        case unreachable(HTTPClientError)
        /// `code` is nil if it is not a name. `message` has ids and tokens and must not be logged.
        case answered(status: Int, code: String?, message: String, retryAfter: Duration?)

        var code: String? { if case .answered(_, let code, _, _) = self { code } else { nil } }

        /// True if `Publish` named a deleted endpoint. Amazon answers that in two ways.
        var isOfLostEndpoint: Bool {
            guard case .answered(_, let code, let message, _) = self else { return false }
            return code == "NotFound"
                || code == "InvalidParameter"
                    && (message.contains("TargetArn") || message.contains("No endpoint found for the target arn"))
        }
    }

    init(http: any OutgoingHTTPClient, hashing: any Hashing, addresses: PushAddresses) {
        self.http = http
        self.hashing = hashing
        address = addresses.amazon
    }

    /// Returns the answer's XML.
    func call(
        _ action: String, _ parameters: [(name: String, value: String)], with credentials: SNSCredentials,
        now: Timestamp
    ) async throws(Failure) -> String {
        let suffix = credentials.region.hasPrefix("cn-") ? "amazonaws.com.cn" : "amazonaws.com"
        let base = address ?? "https://sns.\(credentials.region).\(suffix)"
        let (host, path) = Self.parts(of: base)
        let form = FormFields([("Action", action), ("Version", "2010-03-31")] + parameters)
        let body = Array(form.encoded.utf8)
        let signature = AWSSignature(
            accessKeyID: credentials.accessKeyID, secretAccessKey: credentials.secretAccessKey,
            region: credentials.region, service: "sns", hashing: hashing)
        let answer: ClientResponse
        do throws(HTTPClientError) {
            answer = try await http.send(
                ClientRequest(
                    method: .post, url: "https://\(host)\(path)",
                    fields: signature.fields(
                        host: host, path: path, contentType: "application/x-www-form-urlencoded; charset=utf-8",
                        body: body, now: now),
                    body: body, timeout: MobilePushServices.timeout))
        } catch {
            throw .unreachable(error)
        }
        let text = String(decoding: answer.body, as: UTF8.self)
        guard answer.status == 200, text.contains("<\(action)Response") else {
            let code = Self.element("Code", in: text).flatMap { code in
                code.utf8.count <= 64 && code.utf8.allSatisfy { (0x61...0x7A).contains($0 | 0x20) } ? code : nil
            }
            throw .answered(
                status: answer.status, code: code, message: Self.element("Message", in: text) ?? "",
                retryAfter: answer.retryAfter(now: now))
        }
        return text
    }

    /// Path, and host as the field `Host` has it: without a default port (RFC 9110 clause 4.2.3), which is not signed.
    private static func parts(of base: String) -> (host: String, path: String) {
        let rest = base.dropFirst("https://".count)
        let authority = rest.prefix { $0 != "/" }
        let digits = authority.reversed().prefix { $0.isASCII && $0.isNumber }.count
        var host = String(authority)
        if digits > 0, authority.dropLast(digits).last == ":", let port = Int(authority.suffix(digits)) {
            host = authority.dropLast(digits + 1) + (port == 443 ? "" : ":\(port)")
        }
        let path = rest[authority.endIndex...]
        return (host, path.isEmpty ? "/" : String(path))
    }

    /// Text of the first element of that name, which has no attributes and no elements within.
    static func element(_ name: String, in text: String) -> String? {
        guard let start = text.firstRange(of: "<\(name)>"),
            let end = text[start.upperBound...].firstRange(of: "</\(name)>")
        else { return nil }
        var content = String(text[start.upperBound..<end.lowerBound])
        for (entity, character) in [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")] {
            content = content.replacing(entity, with: character)
        }
        return content
    }
}
