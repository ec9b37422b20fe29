import JSONSchema
package import Primitives

/// Members that Auth0's Management API documents for an object and this server does not use. Bodies may have them, so
/// that programs written for Auth0 work; all other unknown members are refused as misspelt.
///
/// Source: parameters and types of auth0-python 6.8.0, which is generated from Auth0's document.
package struct Auth0Members: Sendable {
    /// Names from the object down to the member.
    private let paths: Set<[String]>

    private init(_ names: String, within nested: [String: String] = [:]) {
        func split(_ names: String) -> [String] { names.split(whereSeparator: \.isWhitespace).map(String.init) }
        let inner = nested.flatMap { outer, names in split(names).map { split(outer.replacing(".", with: " ")) + [$0] }
        }
        paths = Set(split(names).map { [$0] } + inner)
    }

    /// Sorted, for declarations.
    package var all: [[String]] { paths.sorted { $0.lexicographicallyPrecedes($1) } }

    package func contains(_ path: [String]) -> Bool { paths.contains(path) }

    /// Warnings about members of a document, as the answers of the Management API have them.
    package func warnings(of document: JSONObject) -> [String] {
        Shape.anyObject.taking(withoutEffect: all).warnings(about: .object(document))
    }

    package static let clients = Auth0Members(
        """
        addons allowed_clients anonymous_sessions b2b_integration_configuration client_aliases compliance_level
        cross_origin_auth cross_origin_authentication cross_origin_loc custom_login_page custom_login_page_on
        custom_login_page_preview default_organization encryption_key
        enforce_anon_session_transfer_network_binding express_configuration external_client_id fedcm_login
        form_template identity_assertion_authorization_grant is_token_endpoint_ip_header_trusted
        my_organization_configuration native_social_login oidc_backchannel_logout oidc_support
        organization_discovery_methods organization_require_behavior organization_usage par_request_expiry
        redirection_policy require_proof_of_possession resource_server_identifier session_transfer
        signed_request_object skip_non_verifiable_callback_uri_confirmation_prompt sso sso_disabled
        third_party_security_mode token_exchange token_quota token_vault_privileged_access
        """,
        within: [
            "jwt_configuration": "scopes secret_encoded",
            "oidc_logout": "backchannel_logout_initiators backchannel_logout_session_metadata",
            "refresh_token": "policies",
        ])

    package static let clientGrants = Auth0Members("default_for")

    package static let resourceServers = Auth0Members(
        """
        access_token allow_online_access allow_online_access_with_ephemeral_sessions authorization_policy
        proof_of_possession require_consent_non_repudiation signing_secret
        token_encryption token_lifetime_for_anonymous_access_tokens token_lifetime_for_web verification_location
        """,
        within: ["subject_type_authorization": "anonymous anonymous_user"])

    package static let connections = Auth0Members(
        """
        authentication connected_accounts cross_app_access_requesting_app cross_app_access_resource_app
        is_domain_connection realms show_as_button
        """,
        within: [
            // Options of the strategies auth0, oidc, oauth2 and github.
            "options": """
            admin_org admin_public_key admin_repo_hook api_enable_groups api_enable_users attributes authParams
            authParamsMap authentication_methods authorizationURL authorization_endpoint basic_profile
            brute_force_protection configuration connection_settings customHeaders customScripts delete_repo
            disable_self_service_change_password domain_aliases dpop_signing_alg email enable_script_context
            enable_pushed_authorization_requests enabledDatabaseCustomization ext_admin ext_agreed_terms
            ext_assigned_plans ext_groups ext_is_suspended ext_profile fieldsMap follow freeform_scopes
            gateway_authentication gist icon_url id_token_session_expiry_supported id_token_signed_response_algs
            import_mode jwks_uri logoutUrl mfa non_persistent_attrs notifications oidc_metadata passkey_options
            passwordPolicy password_complexity_options password_dictionary password_history
            password_no_personal_info password_options pkce_enabled precedence profile public_repo
            pushed_authorization_request_endpoint read_org read_public_key read_repo_hook read_user realm_fallback
            repo repo_deployment repo_status schema_version scripts send_back_channel_nonce
            set_user_root_attributes tenant_domain tokenURL token_endpoint token_endpoint_auth_signing_alg
            token_endpoint_jwtca_aud_format type upstream_params useOauthSpecScope userinfo_endpoint validation
            write_org write_public_key write_repo_hook
            """,
            "options.attribute_map": "attributes mapping_mode userinfo_scope",
        ])

    package static let roles = Auth0Members("owner_id type")

    package static let tenantSettings = Auth0Members(
        """
        access_token acr_values_supported allow_organization_name_in_authentication_api
        authorization_response_iss_parameter_supported change_password
        client_id_metadata_document_dynamic_registration_supported client_id_metadata_document_supported
        country_codes customize_mfa_in_postlogin_action default_token_quota device_flow
        dpop_strict_refresh_token_binding dynamic_client_registration_security_mode enable_ai_guide
        ephemeral_session_lifetime ephemeral_session_lifetime_in_minutes error_page guardian_mfa_page
        idle_ephemeral_session_lifetime idle_ephemeral_session_lifetime_in_minutes
        idle_session_lifetime_in_minutes include_session_metadata_in_tenant_logs legacy_sandbox_version
        phone_consolidated_experience pushed_authorization_requests_supported resource_parameter_profile
        sandbox_version security_headers session_lifetime_in_minutes sessions
        skip_non_verifiable_callback_uri_confirmation_prompt
        """)
}
