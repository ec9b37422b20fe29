import APIDescription
import Administration
import AuthorizationCore
import Configuration
import HTTPModel
import JSONSchema
import Primitives

/// `/emails/provider` and `/email-templates`: the e-mail service and the texts of e-mails.
struct EmailRoutes: Sendable {
    typealias Template = ManageEmailTemplates.Template
    private static let tag = "E-mail"

    let provider: ManageEmailProvider
    let templates: ManageEmailTemplates

    var all: [ManagementRoute] { providerRoutes + templateRoutes }

    // MARK: the provider

    private static let name = Member("name", FieldType<EmailProvider>.choice.shape)
    private static let address = Member("default_from_address", .text(3...320), "Sender of e-mails")
    private static let settings = Member("settings", .anyObject, "Stored for the provider")
    private static let given = Member("credentials", .anyObject, EmailProvider.credentialsText)

    private static let providerShape = Shape.object([
        .required("name", name.shape), .required("enabled", .boolean), address, settings,
        Member("credentials", .anyObject, "Without secrets"),
    ])

    private static let providerExample: JSONValue = [
        "name": "smtp", "enabled": true, "default_from_address": "approvals@example.com",
        "credentials": ["smtp_host": "mail.example.com", "smtp_port": 587, "smtp_user": "countersign"],
    ]

    private static let providerDetails = """
        Sends the tenant's mails instead of the server's own mail server, if the provider takes mail by SMTP: mandrill, \
        resend, sendgrid, ses, smtp and sparkpost do. It needs `default_from_address`. TLS is required, and the address \
        must be public. Others are only kept. Secrets are sealed under the server's master key and never shown again.
        """

    private var providerRoutes: [ManagementRoute] {
        let shown = Operation.Answer(200, "The provider", Self.providerShape, example: Self.providerExample)
        return [
            ManagementRoute(
                .get, "/emails/provider", "get_email_provider", "Show the e-mail provider", tag: Self.tag,
                details: Self.providerDetails, scopes: [["read:email_provider"]], parameters: Projection.parameters,
                answer: shown, refusals: [(404, "There is no provider")]
            ) { call in .object(try await provider.provider(of: call.tenant)) },
            ManagementRoute(
                .post, "/emails/provider", "create_email_provider", "Set the e-mail provider",
                tag: Self.tag, details: Self.providerDetails, scopes: [["create:email_provider"]],
                body: Operation.Body(
                    .object([
                        .required("name", Self.name.shape),
                        Member.required("credentials", Self.given.shape).needing(["create:email_provider"]),
                        Member("enabled", .boolean), Self.address.clearable, Self.settings.clearable,
                    ]), example: Self.providerExample),
                answer: Operation.Answer(201, "The provider", Self.providerShape, example: Self.providerExample),
                refusals: [(409, "There is a provider already")]
            ) { call in .object(try await provider.create(call.document, for: call.context), status: 201) },
            ManagementRoute(
                .patch, "/emails/provider", "update_email_provider", "Change the e-mail provider",
                tag: Self.tag, details: Self.providerDetails, scopes: [["update:email_provider"]],
                body: Operation.Body(
                    .object([
                        Self.name, Member("enabled", .boolean), Self.address.clearable, Self.settings.clearable,
                        Self.given.needing(["update:email_provider"]),
                    ]), example: ["enabled": false]),
                answer: shown, refusals: [(404, "There is no provider")]
            ) { call in .object(try await provider.update(call.document, for: call.context)) },
            ManagementRoute(
                .delete, "/emails/provider", "delete_email_provider", "Delete the e-mail provider",
                tag: Self.tag, scopes: [["delete:email_provider"]],
                answer: Operation.Answer(204, "The provider is deleted")
            ) { call in
                try await removing(.emailProvider) { try await provider.remove(for: call.context) }
                return .nothing()
            },
        ]
    }

    // MARK: templates

    private static let templateName = FieldType<Template>.choice.shape

    private static let content: [Member] = [
        Member("body", .text(0...ManageEmailTemplates.bodyLimit), "Liquid template of the HTML"),
        Member("from", .text(0...320)), Member("subject", .text(0...998)), Member("syntax", .choice(["liquid"])),
        Member("enabled", .boolean), Member("resultUrl", .text(0...2048), "Has no effect"),
        Member("urlLifetimeInSeconds", .integer(1...31_536_000), "Has no effect"),
        Member("includeEmailInRedirect", .boolean, "Has no effect"),
    ]

    private static let requiredContent: [Member] =
        content.prefix(5).map { .required($0.name, $0.shape) }
        + content.dropFirst(5).map(\.clearable)

    private static let templateShape = Shape.object(
        [.required("template", templateName)] + content.map { Member($0.name, $0.shape.orNull) })

    private static let templateExample: JSONValue = [
        "template": "async_approval", "body": "<p>Please answer: {{ url }}</p>", "from": "approvals@example.com",
        "subject": "A request for you", "syntax": "liquid", "enabled": true,
    ]

    private static let templateDetails = """
        Takes the place of the built-in text if it is enabled. `body`, `subject` and `from` are Liquid (docs/mail.md), in \
        which every value is escaped. `from` counts if the tenant has an e-mail provider of its own. Templates of mails \
        that this server does not send are only kept, and so are `resultUrl`, `urlLifetimeInSeconds` and \
        `includeEmailInRedirect`.
        """

    private var templateRoutes: [ManagementRoute] {
        let shown = Operation.Answer(200, "The template", Self.templateShape, example: Self.templateExample)
        let body = Operation.Body(
            .object([Member("template", Self.templateName)] + Self.requiredContent), example: Self.templateExample)
        return [
            ManagementRoute(
                .post, "/email-templates", "create_email_template", "Create an e-mail template", tag: Self.tag,
                details: Self.templateDetails, scopes: [["create:email_templates"]],
                body: Operation.Body(
                    .object([.required("template", Self.templateName)] + Self.requiredContent),
                    example: Self.templateExample),
                answer: shown, refusals: [(409, "The template exists already")]
            ) { call in
                let template: Template = try call.required("template", .choice)
                return .object(try await templates.create(template, call.document, for: call.context))
            },
            ManagementRoute(
                .get, "/email-templates/{name}", "get_email_template", "Show an e-mail template", tag: Self.tag,
                details: Self.templateDetails, scopes: [["read:email_templates"]], parameters: Projection.parameters,
                answer: shown
            ) { call in
                .object(try await templates.template(Self.template(call), of: call.tenant))
            },
            ManagementRoute(
                .put, "/email-templates/{name}", "replace_email_template", "Replace an e-mail template",
                tag: Self.tag, details: Self.templateDetails, scopes: [["update:email_templates"]], body: body,
                answer: shown
            ) { call in
                .object(try await templates.replace(Self.template(call), call.document, for: call.context))
            },
            ManagementRoute(
                .patch, "/email-templates/{name}", "update_email_template", "Change an e-mail template", tag: Self.tag,
                details: Self.templateDetails, scopes: [["update:email_templates"]],
                body: Operation.Body(
                    .object([Member("template", Self.templateName)] + Self.content.map(\.clearable)),
                    example: ["subject": "Please answer"]),
                answer: shown
            ) { call in
                .object(try await templates.update(Self.template(call), call.document, for: call.context))
            },
        ]
    }

    /// Template named by the path. If the body also names one, it must be the same.
    private static func template(_ call: ManagementCall) throws -> Template {
        let name = call.id("name")
        guard let template = Template(rawValue: name) else {
            let names = Template.allCases.map(\.rawValue).joined(separator: ", ")
            throw ManagementFailure.invalidPath("must be one of \(names)", at: "name")
        }
        guard try call.member("template", .choice) ?? template == template else {
            throw ManagementFailure.invalidBody("is another template than in the path", at: "template")
        }
        return template
    }
}
