"""A tenant whose users log in, and a login without JavaScript."""

from pages import Browser, Page
from programs import InteropTest

CALLBACK = "http://127.0.0.1:4711/callback"
EMAIL, PASSWORD, USER = "hanna@example.com", "correct horse battery staple", "auth0|hanna"
CODE_GRANTS = ["authorization_code", "refresh_token"]


class LoginTest(InteropTest):
    """The tenant of `InteropTest` with passwords, public clients, a website and a third-party client."""

    website_secret = "a-website-secret-of-forty-eight-characters-or-so"
    partner_secret = "a-partner-secret-of-forty-eight-characters-or-so"

    @classmethod
    def configuration(cls):
        configuration = super().configuration()
        tenant = configuration["tenants"][0]
        tenant["users"].append({
            "user_id": USER, "name": "Hanna Herwitz", "email": EMAIL, "email_verified": True, "password": PASSWORD,
            "picture": "https://example.com/hanna.png", "roles": ["reader"]})
        tenant["clients"] += [
            {
                "client_id": "mobile", "name": "Mobile app", "token_endpoint_auth_method": "none",
                "grant_types": CODE_GRANTS, "callbacks": ["com.example.app://callback", "http://127.0.0.1/callback"],
                "allowed_logout_urls": ["http://127.0.0.1:4711/bye"],
            },
            {
                "client_id": "second", "name": "Second app", "token_endpoint_auth_method": "none",
                "grant_types": CODE_GRANTS, "callbacks": ["http://127.0.0.1/callback"],
            },
            {
                "client_id": "website", "name": "Website", "client_secret": cls.website_secret,
                "grant_types": CODE_GRANTS, "callbacks": ["http://127.0.0.1/callback"],
                "allowed_logout_urls": ["http://127.0.0.1:4711/"],
            },
            {
                "client_id": "partner", "name": "Partner", "client_secret": cls.partner_secret,
                "is_first_party": False, "grant_types": CODE_GRANTS, "callbacks": ["http://127.0.0.1/callback"],
            },
        ]
        return configuration

    def logged_in(self, browser: Browser, url, email=EMAIL, password=PASSWORD):
        """Opens `url`, and logs in if the page asks."""
        page = browser.open(url)
        if isinstance(page, Page) and any("password" in form.fields for form in page.forms):
            form = next(form for form in page.forms if "password" in form.fields)
            page = browser.submit(page, form=form, username=email, password=password)
        return page
