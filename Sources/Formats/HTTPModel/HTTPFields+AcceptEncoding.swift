extension HTTPFields {
    /// True if the client takes bodies in a content coding (RFC 9110 clause 12.5.3). `coding` is in lower case. A client
    /// that names no coding takes the body as it is.
    package func accepts(coding: String) -> Bool {
        var any = false
        for element in values(of: "Accept-Encoding").flatMap({ $0.split(separator: ",") }) {
            let parts = element.split(separator: ";").map { part in
                part.filter { $0 != " " && $0 != "\t" }.lowercased()
            }
            guard let name = parts.first, name == coding || name == "*" else { continue }
            let isRefused = parts.dropFirst().contains { $0.wholeMatch(of: /q=0(\.0{0,3})?/) != nil }
            if name == coding { return !isRefused }
            any = !isRefused
        }
        return any
    }
}
