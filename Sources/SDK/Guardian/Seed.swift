public enum GuardianSeed {}
