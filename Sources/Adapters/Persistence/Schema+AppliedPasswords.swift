import SQL

extension Schema {
    /// The password that a file of `apply` gave a user last, as its hash: a file that says the same again must not take
    /// back what the user chose since.
    static func appliedPasswords(_ dialect: Dialect) -> String {
        """
        ALTER TABLE "user" ADD COLUMN applied_password_hash TEXT;
        """
    }
}
