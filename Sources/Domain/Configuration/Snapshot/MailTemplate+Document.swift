package import AuthorizationCore
package import Primitives
import Templates

extension MailTemplate {
    package static let textMember = "body"

    /// Reads a document. Empty texts count as absent.
    package init(_ document: JSONObject) throws(DocumentProblem) {
        self.init(
            body: try Self.template(Self.textMember, of: document), subject: try Self.template("subject", of: document),
            from: try Self.template("from", of: document), isEnabled: document["enabled"]?.boolValue ?? false)
    }

    private static func template(_ name: String, of document: JSONObject) throws(DocumentProblem) -> Template? {
        guard let source = document[name]?.stringValue, !source.isEmpty else { return nil }
        do throws(TemplateFailure) {
            return try Template(parsing: source)
        } catch {
            throw DocumentProblem(path: name, message: "is no Liquid that this server reads: \(error)")
        }
    }
}
