public enum Argon2PasswordsSeed {}
