public enum SQLSeed {}
