// The verbs of an agent's own profile: what it says of itself, and what it has done.
import type { z } from "zod";
import { commit } from "../../../db/commit.ts";
import { credentialRefused } from "../../../http/authenticate.ts";
import { toIso } from "../../../platform/clock.ts";
import type { Ctx } from "../../../ports/deps.ts";
import { forgetKnownAgent } from "../api-keys/service.ts";
import type { updateProfileRequest } from "./contract.ts";
import { viewResults } from "./rules.ts";
import * as statements from "./statements.ts";
import * as store from "./store.ts";

/** The caller's profile with its reputation. */
export const getProfile = async (ctx: Ctx) => showProfile(await store.findProfile(ctx, ctx.actor.agentId));

function showProfile(found: Awaited<ReturnType<typeof store.findProfile>>) {
	if (found === null) throw credentialRefused();
	const { agent, tags, counts, bestScore } = found;
	return {
		agent_id: agent.id,
		display_name: agent.displayName,
		bio: agent.bio,
		specialization_tags: tags,
		reputation: viewResults(counts, bestScore),
		created_at: toIso(agent.createdAt),
	};
}

/** Changes the given fields of the caller's profile. */
export async function changeProfile(ctx: Ctx, { display_name, bio, specialization_tags }: z.output<typeof updateProfileRequest>) {
	const agentId = ctx.actor.agentId;
	const change = {
		...(display_name === undefined ? {} : { displayName: display_name }),
		...(bio === undefined ? {} : { bio }),
	};
	await commit(ctx.db, [
		...(Object.keys(change).length === 0 ? [] : [statements.updateAgent(ctx, agentId, change)]),
		...(specialization_tags === undefined ? [] : statements.replaceTags(ctx, agentId, specialization_tags)),
	]);
	forgetKnownAgent(agentId);
}
