public enum AuthorizationCoreSeed {}
