import APIDescription
import Administration
import AuthorizationCore
import HTTPModel
import JSONSchema
import Primitives

/// `/custom-domains`: further host names of the tenant.
struct CustomDomainRoutes: Sendable {
    private static let group = RouteGroup("Custom Domains", scopes: "custom_domains")

    let domains: ManageCustomDomains

    private static let noted: [Member] = [
        Member("tls_policy", .text(1...64), "The operator's TLS listener decides").withoutEffect,
        Member("custom_client_ip_header", .text(0...64), "See the server's settings").withoutEffect,
        Member("domain_metadata", .anyObject, "Data of programs that manage domains").protecting(.nothing),
        Member("relying_party_identifier", .text(1...253)).withoutEffect,
    ]

    private static let type = Member(
        "type", .choice(["auth0_managed_certs", "self_managed_certs"]), "Stored; certificates are always the operator's"
    ).withoutEffect

    private static let shape = Shape.object(
        [
            .required("custom_domain_id", .text(), "cd_ and 16 characters"), .required("domain", .text()),
            .required("primary", .boolean), .required("status", .choice(["pending_verification", "ready"])),
            .required("type", type.shape),
            .required("verification", .anyObject, "Its `status`, and missing steps; DNS needs no entry"),
        ] + noted)

    private static let example: JSONValue = [
        "custom_domain_id": "cd_8Yw3ZrVhM0a1kQxT", "domain": "login.example.com", "primary": false,
        "status": "pending_verification", "type": "self_managed_certs", "verification": pending,
    ]

    private static let pending: JSONValue = [
        "methods": [], "status": "pending",
        "error_msg": "The server's operator gives names to tenants, with countersign tenant update",
    ]

    private static let verifyDetails = """
        Nothing is looked up. On a server with one tenant, verifying has it served under the name from then on. Where \
        there are several, a name is the one's that the server's operator gives it to, with `custom_domains` of the \
        tenant (`countersign tenant update` or `apply`): until then the answer says pending. Point the name at the \
        server, and have its TLS listener or the proxy before it hold a certificate for the name, before clients use \
        it. Tokens that are asked for under the name have it as their issuer.
        """

    var all: [ManagementRoute] {
        let one = Operation.Answer(200, "The domain", Self.shape, example: Self.example)
        return [
            ManagementRoute(
                .get, "/custom-domains", "list_custom_domains", "List the tenant's other names", in: Self.group,
                details: "Includes names from a configuration file.",
                answer: Operation.Answer(200, "The domains", .list(Self.shape))
            ) { call in
                .value(.array(try await domains.list(call.tenant).map { .object(Self.json($0)) }))
            },
            ManagementRoute(
                .post, "/custom-domains", "create_custom_domain", "Claim a name for the tenant", in: Self.group,
                details: "The tenant is served under the name after its verification.",
                body: Operation.Body(
                    .object(
                        [
                            // Links in mails have the host of the request that causes them.
                            Member.required("domain", .text(3...253))
                                .protecting(.identity, MailTemplate.Kind.allScopes),
                            Self.type.clearable,
                            Member("verification_method", .choice(["txt"]).orNull, "Not used").withoutEffect,
                        ] + Self.noted.map(\.clearable)),
                    example: ["domain": "login.example.com", "type": "self_managed_certs"]),
                answer: Operation.Answer(201, "The domain", Self.shape, example: Self.example),
                refusals: [(409, "A tenant has that name already")]
            ) { call in
                .object(Self.json(try await domains.create(call.document, for: call.context)), status: 201)
            },
            ManagementRoute(
                .get, "/custom-domains/{id}", "get_custom_domain", "Show one of the tenant's other names",
                in: Self.group, answer: one
            ) { call in .object(Self.json(try await domains.domain(call.id(), of: call.tenant))) },
            ManagementRoute(
                .patch, "/custom-domains/{id}", "update_custom_domain", "Change a custom domain's settings",
                in: Self.group,
                body: Operation.Body(
                    .object(Self.noted.map(\.clearable)), example: ["domain_metadata": ["region": "eu"]]), answer: one
            ) { call in .object(Self.json(try await domains.update(call.id(), call.document, for: call.context))) },
            ManagementRoute(
                .post, "/custom-domains/{id}/verify", "verify_custom_domain", "Verify a name", in: Self.group,
                details: Self.verifyDetails, answer: one, refusals: [(409, "Another tenant is served under the name")]
            ) { call in .object(Self.json(try await domains.verify(call.id(), for: call.context))) },
            ManagementRoute(
                .delete, "/custom-domains/{id}", "delete_custom_domain", "Remove a name of the tenant", in: Self.group,
                details: "Tokens with the name as issuer become invalid. A file that contains the name adds it again.",
                answer: Operation.Answer(204, "The domain is deleted")
            ) { call in
                try await removing(.customDomain) { try await domains.remove(call.id(), for: call.context) }
            },
        ]
    }

    private static func json(_ domain: CustomDomain) -> JSONObject {
        var json: JSONObject = [
            "custom_domain_id": .string(domain.id), "domain": .string(domain.domain), "primary": false,
            "status": domain.isReady ? "ready" : "pending_verification",
            "type": domain.document["type"] ?? "self_managed_certs",
            "verification": domain.isReady ? ["methods": [], "status": "verified"] : pending,
        ]
        for member in noted { json[member.name] = domain.document[member.name] }
        return json
    }
}
