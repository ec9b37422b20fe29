import Flows
import HTTPModel

extension HostedPages {
    /// What browsers are sent to, by path.
    var routes: [String: Route] {
        let authorization = AuthorizationEndpoints(pages: self)
        let logIn = LogInEndpoints(pages: self)
        let password = PasswordEndpoints(hosted: hosted)
        let factor = SecondFactorEndpoints(pages: self)
        let consent = ConsentEndpoints(pages: self)
        let upstream = UpstreamEndpoints(pages: self)
        let logOut = LogOutEndpoints(hosted: hosted)
        var routes: [String: Route] = [
            // OIDC Core 3.1.2.1 asks for both methods.
            "/authorize": Route(.oauth, [.get: authorization.authorize, .post: authorization.authorize]),
            "/\(StartUpstreamLogIn.callbackPath)": Route(.oauth, [.get: page(upstream.callback)]),
            "/v2/logout": Route(.oauth, [.get: page(logOut.logOutAtOnce)]),
            "/oidc/logout": Route(.oauth, [.get: page(logOut.logOut), .post: page(logOut.logOut)]),
            HostedPath.logOut.rawValue: Route(.oauth, [.post: form(logOut.sendLogOut)]),
            HostedPath.connection.rawValue: Route(.oauth, [.get: page(upstream.connection)]),
        ]
        let forms: [(HostedPath, Handle, Handle)] = [
            (.logIn, logIn.logIn, logIn.sendLogIn), (.signUp, logIn.signUp, logIn.sendSignUp),
            (.selectAccount, logIn.account, logIn.sendAccount),
            (.forgotPassword, password.forgot, password.sendForgot),
            (.resetPassword, password.reset, password.sendReset),
            (.push, factor.push, factor.sendPush), (.code, factor.code, factor.sendCode),
            (.enrollDevice, factor.enroll, factor.sendEnroll), (.consent, consent.consent, consent.sendConsent),
        ]
        for (path, show, send) in forms {
            routes[path.rawValue] = Route(.oauth, [.get: page(show), .post: form(send)])
        }
        return routes
    }
}
