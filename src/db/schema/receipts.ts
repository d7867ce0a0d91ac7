import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** The public keys that verify receipts. They are kept when `SECRETS_KEY` is rotated, so that old receipts can still be verified. */
export const receiptKeys = sqliteTable("receipt_keys", {
	/** The key's thumbprint (RFC 7638). Receipts signed with the key have the same `kid`. */
	id: text("id").primaryKey(),
	/** The public Ed25519 key in base64url. */
	x: text("x").notNull(),
	/** When the key was listed: for its first receipt, or for a later one after the list was lost. */
	createdAt: integer("created_at").notNull(),
});
