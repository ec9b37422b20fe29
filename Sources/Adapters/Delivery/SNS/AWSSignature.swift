import HTTPModel
import Primitives

/// Signs requests as Amazon's services demand (Signature Version 4).
struct AWSSignature: Sendable {
    let accessKeyID: String
    let secretAccessKey: SecretBytes
    let region: String
    let service: String
    let hashing: any Hashing

    /// Fields of a POST to `/` of that host, the default port left out. The body is covered by its hash.
    func fields(host: String, path: String, contentType: String, body: [UInt8], now: Timestamp) -> HTTPFields {
        // 2026-11-20T10:00:00.000Z
        let digits = now.iso8601.filter { $0 != "-" && $0 != ":" }
        let moment = "\(digits.prefix(15))Z"
        let scope = "\(digits.prefix(8))/\(region)/\(service)/aws4_request"
        let names = "content-type;host;x-amz-date"
        let request = [
            "POST", path, "", "content-type:\(contentType)", "host:\(host)", "x-amz-date:\(moment)", "", names,
            Hex.encode(hashing.hash(.sha256, body)),
        ].joined(separator: "\n")
        let text = [
            "AWS4-HMAC-SHA256", moment, scope, Hex.encode(hashing.hash(.sha256, Array(request.utf8))),
        ].joined(separator: "\n")
        let signature = Hex.encode(hashing.hmac(.sha256, key: key(String(digits.prefix(8))), Array(text.utf8)))
        return [
            "Content-Type": contentType, "X-Amz-Date": moment,
            "Authorization": "AWS4-HMAC-SHA256 Credential=\(accessKeyID)/\(scope), SignedHeaders=\(names), "
                + "Signature=\(signature)",
        ]
    }

    private func key(_ date: String) -> [UInt8] {
        var key = Array("AWS4".utf8) + secretAccessKey.bytes
        for part in [date, region, service, "aws4_request"] {
            key = hashing.hmac(.sha256, key: key, Array(part.utf8))
        }
        return key
    }
}
