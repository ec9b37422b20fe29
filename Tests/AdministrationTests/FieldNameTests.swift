import AuthorizationCore
import Configuration
import OAuthWire
import Primitives
import TestSupport
import Testing

/// Names of fields that users wrote into files and programs.
@Suite("Names of fields")
struct FieldNameTests {
    /// Every name that a field has or had. A renamed field keeps its former name by `formerly` for a year.
    private static let recorded = [
        "settings": """
        allowed_logout_urls approval_app approval_retention authorization_details_limits
        account_deletion actions_per_minute binding_message_alphabet branding brute_force_protection client_tokens_per_minute default_audience
        default_redirection_uri enrollment_ticket_lifetime evidence expired_as_denied link_verified_emails
        log_ins_per_minute_per_address login_matching logins_per_minute_per_address long_poll_maximum
        management_requests_per_minute matching multi_factor passkey_login passkey_registration
        password_minimum_length pending_requests pending_requests_per_user phones_add_phones
        poll_interval privacy_url push_enabled recent_login_lifetime refresh_token_lifetime
        rejection_pause rejections_before_pause report_pause requests_per_minute_per_user require_proof_key
        session_idle_lifetime session_lifetime support_url terms_url verify_emails
        """,
        "brute_force_protection": """
        attempts_per_account attempts_per_address attempts_per_address_in_all window wrong_numbers_per_address
        """,
        "branding": """
        logo_url primary_color
        """,
        "approval_app": """
        app_name apple_app_link google_app_link icon_url
        """,
        "authorization_details_limits": """
        bytes depth entries name_length properties value_length
        """,
        "authorization_details": """
        evidence matching schema type urgent
        """,
        "api": """
        additional allow_offline_access approval_in_tokens authorization_details consent_policy
        enforce_policies evidence identifier name scopes signing_alg
        skip_consent_for_verifiable_first_party_clients subject_type_authorization token_dialect
        token_lifetime
        """,
        "role": """
        description id name permissions
        """,
        "user": """
        app_metadata blocked email email_verified family_name given_name initial_password locale name nickname
        password permissions phone_number phone_verified picture roles user_id user_metadata username
        """,
        "client": """
        additional allow_long_push allowed_logout_urls allowed_origins app_type
        async_approval_notification_channels callbacks client_authentication_methods client_grants client_id
        client_metadata client_secret description grant_types initiate_login_uri is_first_party jwks jwks_uri
        jwt_configuration limited_to_grants logo_uri matching mobile name oidc_conformant oidc_logout
        refresh_token require_proof_key require_pushed_authorization_requests
        tls_client_certificate_bound_access_tokens token_endpoint_auth_method unused_credentials web_origins
        """,
        "refresh_token": """
        expiration_type idle_token_lifetime infinite_idle_token_lifetime infinite_token_lifetime leeway
        rotation_type token_lifetime
        """,
        "connection": """
        additional display_name enabled_clients metadata name options strategy
        """,
        "client_grant": """
        additional allow_all_scopes allow_any_organization audience authorization_details_types
        organization_usage scope scope_without_effect subject_type
        """,
    ]

    private static func names<Root>(_ fields: Configuration.Fields<Root>) -> Set<String> {
        Set(fields.all.flatMap { [$0.name] + $0.formerNames })
    }

    private static let current: [String: Set<String>] = [
        "settings": names(TenantSettings.fields), "brute_force_protection": names(BruteForceProtection.fields),
        "branding": names(Branding.fields), "approval_app": names(ApprovalApp.fields),
        "authorization_details_limits": names(AuthorizationDetails.Limits.fields),
        "api": names(ResourceServer.fields),
        "authorization_details": names(ResourceServer.AuthorizationDetailsType.fields),
        "role": names(Role.fields), "user": names(User.fields), "client": names(Client.fields),
        "refresh_token": names(RefreshTokenPolicy.fields), "connection": names(LoginConnection.fields),
        "client_grant": names(ClientGrant.fields),
    ]

    @Test(
        "No name of a field vanishes: a renamed one is still read under its former name",
        arguments: current.keys.sorted())
    func kept(object: String) throws {
        let recorded = Set((Self.recorded[object] ?? "").split(whereSeparator: \.isWhitespace).map(String.init))
        let current = Self.current[object] ?? []
        #expect(recorded.subtracting(current).isEmpty, "renamed without Field.formerly")
        #expect(current.subtracting(recorded).isEmpty, "new names; add them to the record")
    }

    @Test("A file with a former name is applied, with a warning at its place; both names are refused")
    func formerName() throws {
        func file(_ settings: String) throws -> ConfigurationFile {
            try ConfigurationFile(
                parsing: Array(
                    #"{"tenants":[{"id":"a","name":"A","host":"a.example","settings":{\#(settings)}}]}"#.utf8),
                now: Timestamp(seconds: 0), secret: { _ in nil })
        }
        let read = try file(#""log_ins_per_minute_per_address":7"#)
        #expect(read.warnings.map(\.path) == ["tenants[0].settings.log_ins_per_minute_per_address"])
        #expect(read.warnings.map(\.message) == ["is called logins_per_minute_per_address now"])
        #expect(
            try StoredDocuments.tenant(
                ["id": "a", "name": "A", "host": "a.example", "settings": ["log_ins_per_minute_per_address": 7]]
            ).settings.loginsPerMinutePerAddress == 7)
        #expect(throws: ConfigurationFile.Failure.self) {
            try file(#""log_ins_per_minute_per_address":7,"logins_per_minute_per_address":8"#)
        }
    }
}
