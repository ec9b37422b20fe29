public import AuthorizationCore
public import Primitives

/// Objects as the API answers them, for the command line, which shows the same.
extension ManagementAPI {
    public static func document(of user: UserRecord) -> JSONObject { UserShapes.json(user) }
}
