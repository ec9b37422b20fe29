import AuthorizationCore

/// Scopes that Auth0 documents for its Management API: programs for it name them in grants.
package enum Auth0Scopes {
    /// True if the name has an Auth0 verb and object.
    package static func documents(_ scope: String) -> Bool {
        if scope == "blacklist:tokens" { return true }
        let parts = scope.split(separator: ":", omittingEmptySubsequences: false)
        return parts.count == 2 && verbs.contains(parts[0]) && objects.contains(parts[1])
    }

    private static let verbs: Set<Substring> = ["create", "read", "update", "delete"]

    private static let objects: Set<Substring> = Set(
        """
        actions anomaly_blocks attack_protection branding connection_profiles connections_keys connections_options \
        custom_signing_keys directory_provisionings encryption_keys entitlements event_deliveries event_streams \
        federated_connections_tokens flows flows_executions flows_vault flows_vault_connections forms group_roles \
        groups hooks insights limits log_streams network_acls organization_client_grants organization_connections \
        organization_discovery_domains organization_group_roles organization_groups organization_invitations \
        organization_member_effective_roles organization_member_role_source_groups organization_member_roles \
        organization_members organizations organizations_summary passwords_checking_job phone_providers \
        phone_templates rules rules_configs scim_config scim_token self_service_profile_custom_texts \
        self_service_profiles shields sso_access_tickets token_exchange_profiles triggers user_attribute_profiles \
        user_custom_blocks user_permission_source_roles user_role_source_groups vdcs_templates
        """.split(separator: " ")
    ).union(ResourceServer.managementScopes.compactMap { $0.split(separator: ":").last })
}
