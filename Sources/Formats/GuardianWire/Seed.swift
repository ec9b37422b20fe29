public enum GuardianWireSeed {}
