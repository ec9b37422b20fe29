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
    private static let group = RouteGroup("E-mail", scopes: "email_provider")
    private static let templateGroup = RouteGroup("E-mail", scopes: "email_templates")

    let provider: ManageEmailProvider
    let templates: ManageEmailTemplates

    var all: [ManagementRoute] { providerRoutes + templateRoutes }

    // MARK: the provider

    private static let name = Member("name", FieldType<EmailProvider>.choice.shape)
    private static let address = Member("default_from_address", .text(3...320), "Sender of e-mails")
    private static let settings = Member("settings", .anyObject, "Stored for the provider")
    private static let given = Member("credentials", .anyObject, EmailProvider.credentialsText)

    /// A provider takes every mail, also those with links by which one can act as a user. So every change of it requires
    /// the scopes of these links.
    private static func guarded(_ members: [Member]) -> Shape {
        .object(members.map { $0.protecting(.identity, MailTemplate.Kind.allScopes) })
    }

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
        The provider sees links by which one can act as a user, so every change of it needs the scopes of such links.
        """

    private var providerRoutes: [ManagementRoute] {
        let shown = Operation.Answer(200, "The provider", Self.providerShape, example: Self.providerExample)
        return [
            ManagementRoute(
                .get, "/emails/provider", "get_email_provider", "Show the e-mail provider", in: Self.group,
                details: Self.providerDetails, parameters: Projection.parameters, answer: shown,
                refusals: [(404, "There is no provider")]
            ) { call in .object(try await provider.provider(of: call.tenant)) },
            ManagementRoute(
                .post, "/emails/provider", "create_email_provider", "Set the e-mail provider", in: Self.group,
                details: Self.providerDetails,
                body: Operation.Body(
                    Self.guarded([
                        .required("name", Self.name.shape), .required("credentials", Self.given.shape),
                        Member("enabled", .boolean), Self.address.clearable, Self.settings.clearable,
                    ]), example: Self.providerExample),
                answer: Operation.Answer(201, "The provider", Self.providerShape, example: Self.providerExample),
                refusals: [(409, "There is a provider already")]
            ) { call in .object(try await provider.create(call.document, for: call.context), status: 201) },
            ManagementRoute(
                .patch, "/emails/provider", "update_email_provider", "Change the e-mail provider", in: Self.group,
                details: Self.providerDetails,
                body: Operation.Body(
                    Self.guarded([
                        Self.name, Member("enabled", .boolean), Self.address.clearable, Self.settings.clearable,
                        Self.given,
                    ]), example: ["enabled": false]), answer: shown, refusals: [(404, "There is no provider")]
            ) { call in .object(try await provider.update(call.document, for: call.context)) },
            ManagementRoute(
                .delete, "/emails/provider", "delete_email_provider", "Delete the e-mail provider", in: Self.group,
                answer: Operation.Answer(204, "The provider is deleted")
            ) { call in
                try await removing(.emailProvider) { try await provider.remove(for: call.context) }
            },
        ]
    }

    // MARK: templates

    private static let templateName = FieldType<Template>.choice.shape

    /// `ManageEmailTemplates` asks for the scopes of the template's kind, which the path may name.
    private static let content: [Member] = [
        Member("body", .text(0...ManageEmailTemplates.bodyLimit), "Liquid template of the HTML").protecting(.identity),
        Member("from", .text(0...320)).protecting(.identity), Member("subject", .text(0...998)).protecting(.identity),
        Member("syntax", .choice(["liquid"])).protecting(.identity),
        Member("enabled", .boolean).protecting(.identity), Member("resultUrl", .text(0...2048)).withoutEffect,
        Member("urlLifetimeInSeconds", .integer(1...31_536_000)).withoutEffect,
        Member("includeEmailInRedirect", .boolean).withoutEffect,
    ]

    private static let template = Member("template", templateName).protecting(.nothing)

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
        `includeEmailInRedirect`. A template can have the mail's reader pass its link on. So a template with a link or \
        code by which one can act as the user needs `create:user_tickets`, and `enrollment_email` \
        `create:guardian_enrollment_tickets`.
        """

    private var templateRoutes: [ManagementRoute] {
        let shown = Operation.Answer(200, "The template", Self.templateShape, example: Self.templateExample)
        let body = Operation.Body(
            .object([Self.template] + Self.requiredContent), example: Self.templateExample)
        return [
            ManagementRoute(
                .post, "/email-templates", "create_email_template", "Create an e-mail template", in: Self.templateGroup,
                details: Self.templateDetails,
                body: Operation.Body(
                    .object([.required("template", Self.template.shape)] + Self.requiredContent),
                    example: Self.templateExample), answer: shown, refusals: [(409, "The template exists already")]
            ) { call in
                let template: Template = try call.required("template", .choice)
                return .object(try await templates.create(template, call.document, for: call.context))
            },
            ManagementRoute(
                .get, "/email-templates/{name}", "get_email_template", "Show an e-mail template",
                in: Self.templateGroup,
                details: Self.templateDetails, parameters: Projection.parameters,
                answer: shown
            ) { call in
                .object(try await templates.template(Self.template(call), of: call.tenant))
            },
            ManagementRoute(
                .put, "/email-templates/{name}", "replace_email_template", "Replace an e-mail template",
                in: Self.templateGroup,
                details: Self.templateDetails, body: body, answer: shown
            ) { call in
                .object(try await templates.replace(Self.template(call), call.document, for: call.context))
            },
            ManagementRoute(
                .patch, "/email-templates/{name}", "update_email_template", "Change an e-mail template",
                in: Self.templateGroup,
                details: Self.templateDetails,
                body: Operation.Body(
                    .object([Self.template] + Self.content.map(\.clearable)), example: ["subject": "Please answer"]),
                answer: shown
            ) { call in
                .object(try await templates.update(Self.template(call), call.document, for: call.context))
            },
            ManagementRoute(
                .delete, "/email-templates/{name}", "delete_email_template", "Remove an e-mail template",
                in: Self.templateGroup, details: "Its mails have the built-in text then. Auth0 has no such operation.",
                scopes: [["update:email_templates"]], answer: Operation.Answer(204, "Done")
            ) { call in
                try await removing(.emailTemplate) {
                    try await templates.remove(Self.template(call), for: call.context)
                }
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
