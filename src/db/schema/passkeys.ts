import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { users } from "./users.ts";

/** A human signs in with a passkey, which an authenticator holds. */
export const passkeys = sqliteTable(
	"passkeys",
	{
		id: text("id").primaryKey(),
		userId: text("user_id")
			.notNull()
			.references(() => users.id),
		/** The authenticator knows the passkey by this id, in base64url. */
		credentialId: text("credential_id").notNull().unique(),
		/** The public key is in COSE's form, in base64url. */
		publicKey: text("public_key").notNull(),
		/** Authenticators that count say here how often they have signed. Others always say 0. */
		counter: integer("counter").notNull(),
		/** The ways to reach the authenticator, as JSON, help browsers to choose it. */
		transports: text("transports").notNull(),
		name: text("name"),
		/** The passkey ends with the key whose request or session made it. Null if it depends on no key, or on none any more. */
		dependsOnKey: text("depends_on_key"),
		createdAt: integer("created_at").notNull(),
		lastUsedAt: integer("last_used_at"),
	},
	(table) => [
		index("passkeys_user").on(table.userId, table.id),
		index("passkeys_depends").on(table.dependsOnKey).where(sql`depends_on_key is not null`),
	],
);
