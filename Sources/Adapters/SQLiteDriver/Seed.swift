public enum SQLiteDriverSeed {}
