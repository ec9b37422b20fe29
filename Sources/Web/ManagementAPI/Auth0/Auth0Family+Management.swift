extension Auth0Family {
    /// The Management API v2, by the requests that auth0-python makes.
    static let management: [Auth0Family] = [
        Auth0Family(
            "Actions",
            .absent(
                """
                code of a tenant that runs within the server; let programs follow the log or the answer of a \
                request instead
                """),
            """
            GET POST /api/v2/actions/actions
            GET /api/v2/actions/actions/{action_id}/versions
            GET /api/v2/actions/actions/{action_id}/versions/{id}
            POST /api/v2/actions/actions/{action_id}/versions/{id}/deploy
            DELETE GET PATCH /api/v2/actions/actions/{id}
            POST /api/v2/actions/actions/{id}/deploy
            POST /api/v2/actions/actions/{id}/test
            GET /api/v2/actions/executions/{id}
            GET POST /api/v2/actions/modules
            DELETE GET PATCH /api/v2/actions/modules/{id}
            GET /api/v2/actions/modules/{id}/actions
            POST /api/v2/actions/modules/{id}/rollback
            GET POST /api/v2/actions/modules/{id}/versions
            GET /api/v2/actions/modules/{id}/versions/{version_id}
            GET /api/v2/actions/triggers
            GET PATCH /api/v2/actions/triggers/{trigger_id}/bindings
            """),
        Auth0Family(
            "Blocks of addresses",
            .absent(
                """
                list of addresses blocked for all tenants; attempts are limited for each tenant, and /user-\
                blocks shows and lifts blocks of accounts
                """),
            """
            DELETE GET /api/v2/anomaly/blocks/ips/{id}
            """),
        Auth0Family(
            "Attack protection",
            .absent(
                """
                separate settings for guessed passwords, bots and breached passwords; brute_force_protection \
                of PATCH /api/v2/tenants/settings has the limits
                """),
            """
            GET PATCH /api/v2/attack-protection/bot-detection
            GET PATCH /api/v2/attack-protection/breached-password-detection
            GET PATCH /api/v2/attack-protection/brute-force-protection
            GET PATCH /api/v2/attack-protection/captcha
            GET PATCH /api/v2/attack-protection/phone-provider-protection
            GET PATCH /api/v2/attack-protection/suspicious-ip-throttling
            """),
        Auth0Family(
            "Branding",
            .absent(
                """
                branding at an address of its own; branding of PATCH /api/v2/tenants/settings has colour and \
                logo of the pages
                """),
            """
            GET PATCH /api/v2/branding
            POST /api/v2/branding/themes
            GET /api/v2/branding/themes/default
            DELETE GET PATCH /api/v2/branding/themes/{theme_id}
            DELETE GET PUT /api/v2/branding/templates/universal-login
            """),
        Auth0Family(
            "Phone providers", .absent("text messages and calls; phones are reached by push, and people by e-mail"),
            """
            GET POST /api/v2/branding/phone/providers
            DELETE GET PATCH /api/v2/branding/phone/providers/{id}
            POST /api/v2/branding/phone/providers/{id}/try
            GET POST /api/v2/branding/phone/templates
            DELETE GET PATCH /api/v2/branding/phone/templates/{id}
            PATCH /api/v2/branding/phone/templates/{id}/reset
            POST /api/v2/branding/phone/templates/{id}/try
            GET PUT /api/v2/guardian/factors/phone/message-types
            GET PUT /api/v2/guardian/factors/phone/providers/twilio
            GET PUT /api/v2/guardian/factors/phone/selected-provider
            GET PUT /api/v2/guardian/factors/phone/templates
            GET PUT /api/v2/guardian/factors/sms/providers/twilio
            GET PUT /api/v2/guardian/factors/sms/selected-provider
            GET PUT /api/v2/guardian/factors/sms/templates
            """),
        Auth0Family(
            "Client grants", .works,
            """
            GET POST /api/v2/client-grants
            DELETE GET PATCH /api/v2/client-grants/{id}
            """),
        Auth0Family(
            "Organizations", .absent("organizations; a tenant of its own separates customers"),
            """
            GET POST /api/v2/organizations
            GET /api/v2/organizations/name/{name}
            DELETE GET PATCH /api/v2/organizations/{id}
            GET POST /api/v2/organizations/{id}/client-grants
            DELETE /api/v2/organizations/{id}/client-grants/{grant_id}
            GET POST /api/v2/organizations/{id}/connections
            DELETE GET PATCH /api/v2/organizations/{id}/connections/{connection_id}
            GET POST /api/v2/organizations/{id}/discovery-domains
            GET /api/v2/organizations/{id}/discovery-domains/name/{discovery_domain}
            DELETE GET PATCH /api/v2/organizations/{id}/discovery-domains/{discovery_domain_id}
            GET POST /api/v2/organizations/{id}/enabled_connections
            DELETE GET PATCH /api/v2/organizations/{id}/enabled_connections/{connection_id}
            GET POST /api/v2/organizations/{id}/invitations
            DELETE GET /api/v2/organizations/{id}/invitations/{invitation_id}
            DELETE GET POST /api/v2/organizations/{id}/members
            GET /api/v2/organizations/{id}/members/{user_id}/effective-roles
            GET /api/v2/organizations/{id}/members/{user_id}/effective-roles/sources/groups
            DELETE GET POST /api/v2/organizations/{id}/members/{user_id}/roles
            GET /api/v2/organizations/{organization_id}/groups
            DELETE GET POST /api/v2/organizations/{organization_id}/groups/{group_id}/roles
            GET /api/v2/client-grants/{id}/organizations
            GET /api/v2/users/{id}/organizations
            """),
        Auth0Family(
            "Clients",
            .differs(
                """
                members without effect are stored and returned; [members that would protect and are not \
                supported](management.md#apis-clients-grants-and-connections) are refused
                """),
            """
            GET POST /api/v2/clients
            DELETE GET PATCH /api/v2/clients/{id}
            POST /api/v2/clients/{id}/rotate-secret
            GET /api/v2/clients/{id}/connections
            """),
        Auth0Family(
            "Credentials of clients", .works,
            """
            GET POST /api/v2/clients/{client_id}/credentials
            DELETE GET PATCH /api/v2/clients/{client_id}/credentials/{credential_id}
            """),
        Auth0Family(
            "Client ID metadata documents",
            .absent(
                """
                clients that describe themselves at an address; POST /clients creates a client
                """),
            """
            POST /api/v2/clients/cimd/preview
            POST /api/v2/clients/cimd/register
            """),
        Auth0Family(
            "Connections",
            .differs(
                """
                databases and providers that speak OpenID Connect or are GitHub; a new connection has no \
                clients until one is enabled
                """),
            """
            GET POST /api/v2/connections
            DELETE GET PATCH /api/v2/connections/{id}
            GET PATCH /api/v2/connections/{id}/clients
            DELETE /api/v2/connections/{id}/users
            """),
        Auth0Family(
            "Provisioning and keys of connections",
            .absent(
                """
                SCIM, directories and keys of single connections; POST and PATCH /users provision users
                """),
            """
            GET POST /api/v2/connection-profiles
            GET /api/v2/connection-profiles/templates
            GET /api/v2/connection-profiles/templates/{id}
            DELETE GET PATCH /api/v2/connection-profiles/{id}
            GET /api/v2/connections-directory-provisionings
            GET /api/v2/connections-scim-configurations
            DELETE GET PATCH POST /api/v2/connections/{id}/directory-provisioning
            GET /api/v2/connections/{id}/directory-provisioning/default-mapping
            POST /api/v2/connections/{id}/directory-provisioning/synchronizations
            GET PUT /api/v2/connections/{id}/directory-provisioning/synchronized-groups
            GET POST /api/v2/connections/{id}/keys
            POST /api/v2/connections/{id}/keys/rotate
            DELETE GET PATCH POST /api/v2/connections/{id}/scim-configuration
            GET /api/v2/connections/{id}/scim-configuration/default-mapping
            GET POST /api/v2/connections/{id}/scim-configuration/tokens
            DELETE /api/v2/connections/{id}/scim-configuration/tokens/{token_id}
            GET /api/v2/connections/{id}/status
            """),
        Auth0Family(
            "Custom domains",
            .differs(
                """
                DNS is not checked, and with several tenants the operator assigns the domain
                """),
            """
            GET POST /api/v2/custom-domains
            DELETE GET PATCH /api/v2/custom-domains/{id}
            POST /api/v2/custom-domains/{id}/verify
            """),
        Auth0Family(
            "Further custom domains", .absent("test of a custom domain; countersign doctor tests hosts"),
            """
            POST /api/v2/custom-domains/{id}/test
            """),
        Auth0Family(
            "Device credentials", .works,
            """
            GET POST /api/v2/device-credentials
            DELETE /api/v2/device-credentials/{id}
            """),
        Auth0Family(
            "E-mail templates",
            .differs(
                """
                templates are Liquid in bounded steps; [mail.md](mail.md) lists the differences
                """),
            """
            POST /api/v2/email-templates
            GET PATCH PUT /api/v2/email-templates/{template_name}
            """),
        Auth0Family(
            "E-mail provider", .differs("SMTP, SendGrid, Mandrill, Resend, SparkPost and Amazon SES, all over SMTP"),
            """
            DELETE GET PATCH POST /api/v2/emails/provider
            """),
        Auth0Family(
            "Event streams", .absent("streams of events; GET /logs and countersign log tail follow the log"),
            """
            GET POST /api/v2/event-streams
            DELETE GET PATCH /api/v2/event-streams/{id}
            GET /api/v2/event-streams/{id}/deliveries
            GET /api/v2/event-streams/{id}/deliveries/{event_id}
            POST /api/v2/event-streams/{id}/redeliver
            POST /api/v2/event-streams/{id}/redeliver/{event_id}
            POST /api/v2/event-streams/{id}/test
            GET /api/v2/events
            """),
        Auth0Family(
            "Flows and forms", .absent("flows and forms of a tenant; the pages have fixed steps"),
            """
            GET POST /api/v2/flows
            GET POST /api/v2/flows/vault/connections
            DELETE GET PATCH /api/v2/flows/vault/connections/{id}
            GET /api/v2/flows/{flow_id}/executions
            DELETE GET /api/v2/flows/{flow_id}/executions/{execution_id}
            DELETE GET PATCH /api/v2/flows/{id}
            GET POST /api/v2/forms
            DELETE GET PATCH /api/v2/forms/{id}
            """),
        Auth0Family(
            "Grants",
            .differs(
                """
                `DELETE` with `user_id` ends all of the user's refresh tokens, those of first-party clients \
                too
                """),
            """
            DELETE GET /api/v2/grants
            DELETE /api/v2/grants/{id}
            """),
        Auth0Family(
            "Groups", .absent("groups of users; roles have their place"),
            """
            GET /api/v2/groups
            DELETE GET /api/v2/groups/{id}
            GET /api/v2/groups/{id}/members
            DELETE GET POST /api/v2/groups/{id}/roles
            DELETE GET POST /api/v2/roles/{id}/groups
            GET /api/v2/users/{id}/groups
            """),
        Auth0Family(
            "Guardian: enrolments and policies", .works,
            """
            POST /api/v2/guardian/enrollments/ticket
            DELETE GET /api/v2/guardian/enrollments/{id}
            GET PUT /api/v2/guardian/policies
            """),
        Auth0Family(
            "Guardian: factors",
            .differs(
                """
                `push-notification` and `otp` belong to phones and are on; the other factors are listed and \
                stay off
                """),
            """
            GET /api/v2/guardian/factors
            PUT /api/v2/guardian/factors/{name}
            """),
        Auth0Family(
            "Guardian: push providers",
            .differs(
                """
                `countersign push check` proves credentials; `fcm` (legacy) answers as `fcmv1`
                """),
            """
            GET PATCH PUT /api/v2/guardian/factors/push-notification/providers/apns
            PATCH PUT /api/v2/guardian/factors/push-notification/providers/fcm
            PATCH PUT /api/v2/guardian/factors/push-notification/providers/fcmv1
            GET PATCH PUT /api/v2/guardian/factors/push-notification/providers/sns
            GET PUT /api/v2/guardian/factors/push-notification/selected-provider
            """),
        Auth0Family(
            "Guardian: Duo", .absent("Duo; push, one-time passwords and passkeys are the second factors"),
            """
            GET PATCH PUT /api/v2/guardian/factors/duo/settings
            """),
        Auth0Family(
            "Hooks", .absent("hooks, which Auth0 has ended; let programs follow the log instead"),
            """
            GET POST /api/v2/hooks
            DELETE GET PATCH /api/v2/hooks/{id}
            DELETE GET PATCH POST /api/v2/hooks/{id}/secrets
            """),
        Auth0Family(
            "Jobs: verification mail", .differs("the job is done at once, and its answer says so"),
            """
            POST /api/v2/jobs/verification-email
            """),
        Auth0Family(
            "Jobs",
            .absent(
                """
                imports and exports of users as jobs; POST /users and countersign apply create users, and \
                GET /users lists them
                """),
            """
            POST /api/v2/jobs/users-exports
            POST /api/v2/jobs/users-imports
            GET /api/v2/jobs/{id}
            GET /api/v2/jobs/{id}/errors
            """),
        Auth0Family(
            "Signing keys",
            .differs(
                """
                the kid is a short text, and countersign keys does the same at the command line
                """),
            """
            GET /api/v2/keys/signing
            POST /api/v2/keys/signing/rotate
            GET /api/v2/keys/signing/{kid}
            PUT /api/v2/keys/signing/{kid}/revoke
            """),
        Auth0Family(
            "Encryption keys",
            .absent(
                """
                keys of a tenant for data at rest; countersign key-exchange exchanges the server's master \
                key
                """),
            """
            GET POST /api/v2/keys/encryption
            POST /api/v2/keys/encryption/rekey
            DELETE GET POST /api/v2/keys/encryption/{kid}
            POST /api/v2/keys/encryption/{kid}/wrapping-key
            DELETE GET PUT /api/v2/keys/custom-signing
            """),
        Auth0Family(
            "Log streams",
            .absent(
                """
                streams of the log to other services; GET /logs, countersign log tail and countersign log \
                list --json export it
                """),
            """
            GET POST /api/v2/log-streams
            DELETE GET PATCH /api/v2/log-streams/{id}
            """),
        Auth0Family(
            "Logs",
            .differs(
                """
                events of absent features do not occur; `countersign log verify` checks the chain of entries
                """),
            """
            GET /api/v2/logs
            GET /api/v2/logs/{id}
            """),
        Auth0Family(
            "Network ACLs",
            .absent(
                """
                rules for networks of a tenant; a proxy in front of the server filters addresses
                """),
            """
            GET POST /api/v2/network-acls
            DELETE GET PATCH PUT /api/v2/network-acls/{id}
            """),
        Auth0Family(
            "Prompts",
            .absent(
                """
                settings and texts of pages; texts are those of the catalogue, in English, French and German
                """),
            """
            GET PATCH /api/v2/prompts
            GET PATCH /api/v2/prompts/rendering
            GET PUT /api/v2/prompts/{prompt}/custom-text/{language}
            GET PATCH /api/v2/prompts/{prompt}/screen/{screen}/rendering
            """),
        Auth0Family(
            "Prompts: partials", .differs("partials are kept and returned, and no page shows them yet"),
            """
            GET PUT /api/v2/prompts/{prompt}/partials
            """),
        Auth0Family(
            "Rate limit policies", .absent("policies of rates; the tenant's settings have its limits"),
            """
            GET POST /api/v2/rate-limit-policies
            DELETE GET PATCH /api/v2/rate-limit-policies/{id}
            """),
        Auth0Family(
            "Refresh tokens", .differs("a refresh token is a family that rotates, with one id"),
            """
            POST /api/v2/refresh-tokens/revoke
            DELETE GET PATCH /api/v2/refresh-tokens/{id}
            DELETE GET /api/v2/users/{user_id}/refresh-tokens
            """),
        Auth0Family(
            "Refresh tokens: list",
            .absent(
                """
                list over all users; GET /users/{user_id}/refresh-tokens lists those of a user
                """),
            """
            GET /api/v2/refresh-tokens
            """),
        Auth0Family(
            "APIs",
            .differs(
                """
                token_encryption and proof_of_possession are refused; types of authorization_details have a \
                schema and may demand evidence
                """),
            """
            GET POST /api/v2/resource-servers
            DELETE GET PATCH /api/v2/resource-servers/{id}
            """),
        Auth0Family(
            "Risk assessments", .absent("assessments of risk; max_age, evidence and number matching raise the bar"),
            """
            GET PATCH /api/v2/risk-assessments/settings
            GET PATCH /api/v2/risk-assessments/settings/new-device
            """),
        Auth0Family(
            "Roles", .works,
            """
            GET POST /api/v2/roles
            DELETE GET PATCH /api/v2/roles/{id}
            DELETE GET POST /api/v2/roles/{id}/permissions
            GET POST /api/v2/roles/{id}/users
            """),
        Auth0Family(
            "Rules",
            .absent(
                """
                rules, which Auth0 has ended; let APIs decide by scopes, roles and authorization_details
                """),
            """
            GET POST /api/v2/rules
            GET /api/v2/rules-configs
            DELETE PUT /api/v2/rules-configs/{key}
            DELETE GET PATCH /api/v2/rules/{id}
            """),
        Auth0Family(
            "Self-service profiles",
            .absent(
                """
                self-service of connections; an administrator configures them by /connections
                """),
            """
            GET POST /api/v2/self-service-profiles
            DELETE GET PATCH /api/v2/self-service-profiles/{id}
            GET PUT /api/v2/self-service-profiles/{id}/custom-text/{language}/{page}
            POST /api/v2/self-service-profiles/{id}/sso-ticket
            POST /api/v2/self-service-profiles/{profile_id}/sso-ticket/{id}/revoke
            """),
        Auth0Family(
            "Sessions", .works,
            """
            DELETE GET /api/v2/sessions/{id}
            POST /api/v2/sessions/{id}/revoke
            DELETE GET /api/v2/users/{user_id}/sessions
            """),
        Auth0Family(
            "Sessions: metadata", .absent("metadata of sessions; metadata belongs to users"),
            """
            PATCH /api/v2/sessions/{id}
            """),
        Auth0Family(
            "Statistics", .works,
            """
            GET /api/v2/stats/active-users
            GET /api/v2/stats/daily
            """),
        Auth0Family(
            "Supplemental signals", .absent("signals of other services; the client's address is the one that counts"),
            """
            GET PATCH /api/v2/supplemental-signals
            """),
        Auth0Family(
            "Tenant settings",
            .differs(
                """
                the members of [docs/apply.md](apply.md#settings-tenantssettings) count; others that Auth0 \
                documents have no effect
                """),
            """
            GET PATCH /api/v2/tenants/settings
            """),
        Auth0Family(
            "Tickets", .works,
            """
            POST /api/v2/tickets/email-verification
            POST /api/v2/tickets/password-change
            """),
        Auth0Family(
            "Token exchange profiles",
            .absent(
                """
                exchange of foreign tokens (RFC 8693); a client gets tokens by the grants of /oauth/token
                """),
            """
            GET POST /api/v2/token-exchange-profiles
            DELETE GET PATCH /api/v2/token-exchange-profiles/{id}
            """),
        Auth0Family(
            "User attribute profiles", .absent("profiles of attributes; claims follow OpenID Connect's scopes"),
            """
            GET POST /api/v2/user-attribute-profiles
            GET /api/v2/user-attribute-profiles/templates
            GET /api/v2/user-attribute-profiles/templates/{id}
            DELETE GET PATCH /api/v2/user-attribute-profiles/{id}
            """),
        Auth0Family(
            "User blocks", .differs("factor says what failed, also numbers and reports of the phone"),
            """
            DELETE GET /api/v2/user-blocks
            DELETE GET /api/v2/user-blocks/{id}
            """),
        Auth0Family(
            "Users",
            .differs(
                """
                searches see a change at once and return every result; sorting and paging have [documented \
                limits](user-search.md)
                """),
            """
            GET POST /api/v2/users
            DELETE GET PATCH /api/v2/users/{id}
            GET /api/v2/users-by-email
            GET /api/v2/users/{id}/effective-permissions
            GET /api/v2/users/{id}/effective-roles
            GET /api/v2/users/{id}/enrollments
            POST /api/v2/users/{id}/identities
            DELETE /api/v2/users/{id}/identities/{provider}/{user_id}
            GET /api/v2/users/{id}/logs
            DELETE /api/v2/users/{id}/multifactor/{provider}
            DELETE GET POST /api/v2/users/{id}/permissions
            POST /api/v2/users/{id}/revoke-access
            DELETE GET POST /api/v2/users/{id}/roles
            """),
        Auth0Family(
            "Users: authentication methods",
            .differs(
                """
                a phone is a method push, its one-time password a method totp, and a passkey a method passkey; \
                none is created here
                """),
            """
            DELETE GET POST PUT /api/v2/users/{id}/authentication-methods
            DELETE GET PATCH /api/v2/users/{id}/authentication-methods/{authentication_method_id}
            DELETE /api/v2/users/{id}/authenticators
            POST /api/v2/users/{id}/recovery-code-regeneration
            """),
        Auth0Family(
            "Users: remembered browsers",
            .absent(
                """
                browsers that are remembered for a second factor; a session is, until it ends
                """),
            """
            POST /api/v2/users/{id}/multifactor/actions/invalidate-remember-browser
            """),
        Auth0Family(
            "Users: sources of rights and accounts",
            .absent(
                """
                sources of effective rights, and accounts connected for token vaults; effective-permissions \
                and effective-roles name the rights
                """),
            """
            GET /api/v2/users/{id}/effective-permissions/sources/effective-roles
            GET /api/v2/users/{id}/effective-roles/sources/groups
            GET /api/v2/users/{id}/connected-accounts
            GET /api/v2/users/{id}/federated-connections-tokensets
            DELETE /api/v2/users/{id}/federated-connections-tokensets/{tokenset_id}
            POST /api/v2/users/{id}/risk-assessments/clear
            """),
        Auth0Family(
            "Verifiable credentials", .absent("verifiable credentials; a receipt proves an approval"),
            """
            GET POST /api/v2/verifiable-credentials/verification/templates
            DELETE GET PATCH /api/v2/verifiable-credentials/verification/templates/{id}
            """),
    ]
}
