import { sql } from "drizzle-orm";
import { endSessions } from "../../core/identity/sign-in/statements.ts";
import type { Holding } from "../../ports/joints.ts";
import { confirmPasskeys, deletePasskeys } from "./statements.ts";

/** Passkeys end with their person, with a claim of the agent that their person was, and with the key that they depend on. */
export const passkeyHolding: Holding = {
	eraseRows: (deps, agentId) => deletePasskeys(deps, sql`user_id in (select id from users where agent_id = ${agentId})`),
	endWithClaim: (deps, agentId) => deletePasskeys(deps, sql`user_id = ${agentId}`),
	// A person who signed in with a passkey and revokes the key that made it wants to go on without the key.
	endWithKeys: (deps, keys, revokedIn) => [
		...confirmPasskeys(deps, sql`depends_on_key in (${keys}) and id = (select credential_id from sessions where hash = ${revokedIn})`),
		...endSessions(deps, sql`depends_on_key in (${keys})`),
		...deletePasskeys(deps, sql`depends_on_key in (${keys})`),
	],
};
