import SQL

extension Schema {
    static func administration(_ dialect: Dialect) -> String {
        """
        -- Who has a role, told from the role's side; what a user has stands in the user's own row.
        CREATE TABLE user_role (
            tenant TEXT NOT NULL,
            role TEXT NOT NULL,
            "user" TEXT NOT NULL,
            PRIMARY KEY (tenant, role, "user"),
            FOREIGN KEY (tenant, "user") REFERENCES "user" (tenant, id) ON DELETE CASCADE
        )\(dialect.strictByKey);
        CREATE INDEX user_role_by_user ON user_role (tenant, "user");
        \(membersSoFar(dialect))
        CREATE TABLE tenant_document (
            tenant TEXT NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
            kind TEXT NOT NULL,
            id TEXT NOT NULL,
            document TEXT NOT NULL,
            sealed_secrets \(dialect.blob) NOT NULL,
            PRIMARY KEY (tenant, kind, id)
        )\(dialect.strict);
        """
    }

    /// Role ids hold no blanks and no quotes, so that a list of them can be read as JSON.
    private static func membersSoFar(_ dialect: Dialect) -> String {
        let words =
            dialect == .sqlite
            ? #"json_each('["' || replace(roles, ' ', '","') || '"]')"#
            : "regexp_split_to_table(roles, ' ') AS value"
        return """
            INSERT INTO user_role (tenant, role, "user")
            SELECT DISTINCT person.tenant, value, person.id FROM "user" AS person, \(words) WHERE roles <> '';
            """
    }
}
