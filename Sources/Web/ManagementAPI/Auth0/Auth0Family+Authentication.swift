extension Auth0Family {
    /// The Authentication API, by Auth0's reference.
    static let authentication: [Auth0Family] = [
        Auth0Family(
            "Authorization", .differs("`response_type` is `code` alone, and PKCE takes S256 alone"),
            """
            GET POST /authorize
            """),
        Auth0Family(
            "Pushed authorization requests", .works,
            """
            POST /oauth/par
            """),
        Auth0Family(
            "Tokens",
            .differs(
                """
                the grants are authorization_code, refresh_token, client_credentials and CIBA; refusals have \
                the statuses of RFC 6749, not 403
                """),
            """
            POST /oauth/token
            """),
        Auth0Family(
            "Backchannel authentication",
            .differs(
                """
                a request may wait up to 259200 seconds, and `login_hint` also takes the formats of RFC 9493 \
                and an e-mail address
                """),
            """
            POST /bc-authorize
            """),
        Auth0Family(
            "Revocation",
            .differs(
                """
                also revokes access tokens, and withdraws a pending request by its `auth_req_id`
                """),
            """
            POST /oauth/revoke
            """),
        Auth0Family(
            "User profile", .works,
            """
            GET POST /userinfo
            """),
        Auth0Family(
            "Logout", .works,
            """
            GET /v2/logout
            GET POST /oidc/logout
            """),
        Auth0Family(
            "Metadata", .differs("names only what works"),
            """
            GET /.well-known/openid-configuration
            GET /.well-known/jwks.json
            """),
        Auth0Family(
            "Consents of a phone", .works,
            """
            GET /rich-consents/{id}
            """),
        Auth0Family(
            "Device authorization grant",
            .absent(
                """
                device codes; POST /bc-authorize asks a person whose client has no browser
                """),
            """
            POST /oauth/device/code
            GET /activate
            """),
        Auth0Family(
            "Passwordless",
            .absent(
                """
                logins by a code in a mail or a message; the pages take passwords and providers, and the \
                phone as second factor
                """),
            """
            POST /passwordless/start
            POST /passwordless/verify
            """),
        Auth0Family(
            "Database connections",
            .absent(
                """
                sign-up and change of a password by a form of the app; the pages do both, and POST \
                /api/v2/users and /api/v2/tickets/password-change for programs
                """),
            """
            POST /dbconnections/signup
            POST /dbconnections/change_password
            """),
        Auth0Family(
            "Multi-factor API",
            .absent(
                """
                second factors outside the pages; an app sends people to /authorize, and POST /bc-authorize \
                asks the phone
                """),
            """
            POST /mfa/challenge
            POST /mfa/associate
            GET /mfa/authenticators
            DELETE /mfa/authenticators/{authenticator_id}
            """),
        Auth0Family(
            "Native passkeys", .absent("logins by a passkey in an app's own pages; the hosted login page has them"),
            """
            POST /passkey/register
            POST /passkey/challenge
            """),
        Auth0Family(
            "Dynamic client registration",
            .absent(
                """
                clients that register themselves; POST /api/v2/clients registers one
                """),
            """
            POST /oidc/register
            """),
        Auth0Family(
            "SAML", .absent("SAML; log in by OpenID Connect"),
            """
            GET POST /samlp/{client_id}
            GET /samlp/metadata/{client_id}
            GET POST /samlp/{client_id}/logout
            """),
        Auth0Family(
            "WS-Federation", .absent("WS-Federation; log in by OpenID Connect"),
            """
            GET /wsfed/{client_id}
            GET /wsfed/FederationMetadata/2007-06/FederationMetadata.xml
            GET /wsfed/{client_id}/FederationMetadata/2007-06/FederationMetadata.xml
            """),
        Auth0Family(
            "Back-channel login and global revocation",
            .absent(
                """
                revocation by a provider; POST /api/v2/users/{id}/revoke-access ends the access of a user
                """),
            """
            POST /oauth/global-token-revocation/connection/{connection_name}
            """),
        Auth0Family(
            "My Account API",
            .absent(
                """
                account API for users; a phone manages itself below /appliance-mfa, and administrators by \
                /api/v2/users
                """),
            """
            GET POST /me/v1/authentication-methods
            DELETE GET PATCH /me/v1/authentication-methods/{authentication_method_id}
            POST /me/v1/authentication-methods/{authentication_method_id}/verify
            GET /me/v1/factors
            POST /me/v1/connected-accounts/connect
            POST /me/v1/connected-accounts/complete
            GET /me/v1/connected-accounts/accounts
            """),
        Auth0Family(
            "Legacy endpoints", .absent("endpoints that Auth0 has deprecated; use /authorize and /oauth/token"),
            """
            POST /oauth/ro
            POST /oauth/access_token
            POST /delegation
            POST /tokeninfo
            POST /users/{user_id}/impersonate
            GET /user/ssodata
            POST /co/authenticate
            POST /usernamepassword/login
            """),
    ]
}
