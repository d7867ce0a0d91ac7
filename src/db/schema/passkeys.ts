import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { users } from "./users.ts";

/** Passkeys, with which people sign in. The private key stays in the person's authenticator. */
export const passkeys = sqliteTable(
	"passkeys",
	{
		id: text("id").primaryKey(),
		userId: text("user_id")
			.notNull()
			.references(() => users.id),
		/** The authenticator's id for the passkey, in base64url. */
		credentialId: text("credential_id").notNull().unique(),
		/** The public key as COSE, in base64url. */
		publicKey: text("public_key").notNull(),
		/** How many times the authenticator has signed. 0 if it does not count signatures. */
		counter: integer("counter").notNull(),
		/** How a browser can reach the authenticator, for example over USB, as JSON. Browsers use this to find it. */
		transports: text("transports").notNull(),
		name: text("name"),
		/**
		 * The API key whose request or session created the passkey. The passkey ends with that key. Null if the passkey never depended on a
		 * key, or no longer does.
		 */
		dependsOnKey: text("depends_on_key"),
		createdAt: integer("created_at").notNull(),
		lastUsedAt: integer("last_used_at"),
	},
	(table) => [
		index("passkeys_user").on(table.userId, table.id),
		index("passkeys_depends").on(table.dependsOnKey).where(sql`depends_on_key is not null`),
	],
);
