import Primitives

/// Parameters of a request to an OAuth endpoint, from a form or a JSON object. Empty strings and JSON null count as
/// absent. Unknown parameters are kept and ignored, repeated ones refused.
package struct Parameters: Sendable {
    private var values: [(name: String, value: String)]

    package init() { values = [] }

    /// Reads a body by its media type, in lower case and without parameters. A form that begins with `{` is read as
    /// JSON, which some clients send.
    package init(body: [UInt8], mediaType: String?) throws(OAuthError) {
        let looksLikeJSON = body.first == UInt8(ascii: "{")
        switch mediaType {
        case "application/json": try self.init(json: body)
        case "application/x-www-form-urlencoded" where looksLikeJSON: try self.init(json: body)
        case "application/x-www-form-urlencoded": try self.init(form: body)
        default:
            throw OAuthError(
                .invalidRequest,
                "Send the parameters as application/x-www-form-urlencoded or application/json in the body")
        }
    }

    /// Reads a query, without its `?`.
    package init(query: String?) throws(OAuthError) { try self.init(form: Array((query ?? "").utf8)) }

    /// Reads parameters that were kept as `encoded`.
    package init(form: [UInt8]) throws(OAuthError) {
        do { values = try FormFields(parsing: form).pairs } catch { throw Self.error(for: error) }
    }

    /// Reads, from a form that is unreadable as a whole, the well-formed parameters that occur once. Nil if one of
    /// `names` is present and not among them.
    package init?(salvagedFrom form: [UInt8], intact names: [String]) {
        var found: [(name: String, value: String)] = []
        var repeated: Set<String> = []
        for part in form.split(separator: UInt8(ascii: "&")).prefix(100) {
            do {
                guard let pair = try FormFields(parsing: Array(part)).pairs.first else { continue }
                if found.contains(where: { $0.name == pair.name }) {
                    repeated.insert(pair.name)
                } else {
                    found.append(pair)
                }
            } catch {
                if case .encoding(let name?) = error, names.contains(name) { return nil }
            }
        }
        guard repeated.isDisjoint(with: names) else { return nil }
        values = found.filter { !repeated.contains($0.name) }
    }

    private static func error(for failure: FormFields.Failure) -> OAuthError {
        switch failure {
        case .duplicate("resource"):
            // RFC 8707 clause 2 lets clients name several, and servers refuse them.
            OAuthError(.invalidTarget, "resource is repeated; ask for tokens of one API at a time")
        case .duplicate(let name): OAuthError(.invalidRequest, "The parameter \(name) is repeated; send it once")
        case .encoding(let name):
            OAuthError(.invalidRequest, "The parameter \(name ?? "") is not valid form encoding of UTF-8 without NUL")
        case .tooMany(let limit): OAuthError(.invalidRequest, "There are more than \(limit) parameters")
        }
    }

    private init(json: [UInt8]) throws(OAuthError) {
        let value: JSONValue
        do {
            value = try JSONReader.parse(json)
        } catch {
            throw OAuthError(.invalidRequest, error.text(of: "The body"))
        }
        guard case .object(let object) = value else {
            throw OAuthError(.invalidRequest, "The JSON body must be an object")
        }
        values = []
        for (name, value) in object {
            switch value {
            case .null: continue
            case .string(let text):
                guard !text.utf8.contains(0) else {
                    throw OAuthError(.invalidRequest, "The member \(name) contains a NUL character")
                }
                values.append((name, text))
            // Some languages format whole numbers as 60.0.
            case .number(let number): values.append((name, number.intValue.map { String($0) } ?? number.literal))
            case .bool(let flag): values.append((name, flag ? "true" : "false"))
            case .array, .object: values.append((name, JSONWriter.string(value)))
            }
        }
    }

    package subscript(name: String) -> String? {
        for pair in values where pair.name == name { return pair.value.isEmpty ? nil : pair.value }
        return nil
    }

    package func required(_ name: String) throws(OAuthError) -> String {
        guard let value = self[name] else { throw .missing(name) }
        return value
    }

    /// The requested API: Auth0's `audience`, or else `resource` (RFC 8707 clause 2).
    package var audience: String? { self["audience"] ?? self["resource"] }

    /// The parameters but those in `names`, as a form in the order of names: equal for equal parameters.
    package func encoded(without names: Set<String>) -> String {
        let pairs = values.filter { !names.contains($0.name) && !$0.value.isEmpty }
        return FormFields(pairs.sorted { $0.name < $1.name }).encoded
    }

    /// The parameters in `names`, as a form.
    package func encoded(only names: [String]) -> String {
        FormFields(values.filter { names.contains($0.name) && !$0.value.isEmpty }).encoded
    }
}
