export const TABLES_WITHOUT_ROWID: readonly string[] = ["usage"];
