public enum OAuthWireSeed {}
