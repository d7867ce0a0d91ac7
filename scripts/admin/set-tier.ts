import { z } from "zod";
import { API_KEY_TIERS } from "../../src/domain/actor.ts";
import { CommandError } from "../support/command.ts";
import type { AdminCommand, DatabaseTarget } from "./command.ts";
import { queryDatabase } from "./query-database.ts";

const agentRow = z.object({ id: z.uuid(), display_name: z.string(), tier: z.enum(API_KEY_TIERS) });

export const setTier: AdminCommand = {
	usage: "<agent_id> <tier>",
	summary: `Sets an agent's tier: ${API_KEY_TIERS.join(", ")}.`,
	async run(args, { database: target }) {
		const { agentId, tier } = parseArguments(args);
		const agent = await getAgent(agentId, target);
		if (agent.tier === tier) return `${agent.display_name} (${agentId}) already has the tier ${tier}. Nothing changed.`;
		// All values match patterns that exclude quotes. The audit entry comes first, so that no tier is set without one.
		// The entry's id is generated here, so a repeated statement writes the entry only once.
		await queryDatabase({ sql: writeEntry({ agentId, before: agent.tier, after: tier }), row: z.unknown() }, target);
		const [changed] = await queryDatabase(
			{ sql: `UPDATE agents SET tier = '${tier}' WHERE id = '${agentId}' RETURNING id, display_name, tier`, row: agentRow },
			target,
		);
		if (changed === undefined) throw unknownAgent(agentId);
		return `${changed.display_name} (${agentId}) was ${agent.tier} and is now ${changed.tier}.`;
	},
};

function parseArguments(args: readonly string[]) {
	if (args.length !== 2) throw new CommandError(`set-tier takes two arguments: ${setTier.usage}`);
	const agentId = z.uuid().safeParse(args[0]);
	if (!agentId.success) {
		throw new CommandError(
			`${JSON.stringify(args[0])} is not an agent id. An agent id is a UUID; GET /api/v1/agent/whoami returns it as agent_id.`,
		);
	}
	const tier = z.enum(API_KEY_TIERS).safeParse(args[1]);
	if (!tier.success) throw new CommandError(`${JSON.stringify(args[1])} is not a tier. Choose one of: ${API_KEY_TIERS.join(", ")}.`);
	return { agentId: agentId.data.toLowerCase(), tier: tier.data };
}

async function getAgent(agentId: string, target: DatabaseTarget) {
	const [agent] = await queryDatabase({ sql: `SELECT id, display_name, tier FROM agents WHERE id = '${agentId}'`, row: agentRow }, target);
	if (agent === undefined) throw unknownAgent(agentId);
	return agent;
}

type Tier = z.infer<typeof agentRow>["tier"];

/** Writes the statement that adds the change to the audit log. */
function writeEntry({ agentId, before, after }: { readonly agentId: string; readonly before: Tier; readonly after: Tier }): string {
	const now = Date.now();
	// The platform's own generator needs a function that Node has only behind a flag. Both versions of UUID end in random digits.
	const time = now.toString(16).padStart(12, "0");
	const id = `${time.slice(0, 8)}-${time.slice(8)}-7${crypto.randomUUID().slice(15)}`;
	const values = [id, now, "command", "agent.set_tier", agentId, "npm run admin -- set-tier"];
	const facts = [before, after].map((tier) => JSON.stringify({ tier }));
	const list = [...values, ...facts].map((value) => (typeof value === "number" ? String(value) : `'${value}'`)).join(", ");
	return `INSERT OR IGNORE INTO audit_log (id, at, actor, action, target, reason, before, after) VALUES (${list})`;
}

function unknownAgent(agentId: string): CommandError {
	return new CommandError(`There is no agent ${agentId} in this database. Nothing changed.`);
}
