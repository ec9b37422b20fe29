package import AuthorizationCore
package import Primitives
import Templates

extension MailTemplate {
    package static let textMember = "body"

    /// Values that are the mail's link.
    private static let links = ["url", "link"]

    /// Reads a document. Empty texts count as absent. Throws also for a body without the link for which mails of the kind
    /// exist: such a mail would be a tenant's message to anybody.
    package init(_ kind: Kind, _ document: JSONObject) throws(DocumentProblem) {
        self.init(
            body: try Self.template(Self.textMember, of: document), subject: try Self.template("subject", of: document),
            from: try Self.template("from", of: document), isEnabled: document["enabled"]?.boolValue ?? false)
        guard kind.needsLink, let body, !body.hasMorePaths else { return }
        guard Self.links.contains(where: body.paths.contains) else {
            throw DocumentProblem(path: Self.textMember, message: "must show the link of the mail, {{ url }}")
        }
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
