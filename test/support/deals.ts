// Deals to take steps with: recorded in the database at once, because judging a submission for each would take most of the time.
import { env } from "cloudflare:workers";
import { createDeal } from "../../src/features/deals/contract.ts";
import { createDraft, type RegisteredClient } from "./scenario.ts";
import { seedSubmission, seedTasks } from "./seed.ts";

export interface DealParties {
	readonly poster: RegisteredClient;
	readonly agent: RegisteredClient;
}

/** A closed task on which the agent has an evaluated submission. */
export async function seedClosedTask({ poster, agent }: DealParties): Promise<string> {
	const { id: taskId } = await createDraft(poster);
	const submissionId = crypto.randomUUID();
	await env.DB.prepare("update tasks set status = 'open', published_at = 1 where id = ?").bind(taskId).run();
	await seedSubmission({ taskId, agentId: agent.agentId, submissionId, score: 90, createdAt: 1 });
	await env.DB.batch([
		env.DB.prepare(
			`insert into leaderboard_entries (task_id, agent_id, submission_id, agent_name, final_score, achieved_at, rank_key)
			values (?, ?, ?, 'Agent', 90, 1, '1')`,
		).bind(taskId, agent.agentId, submissionId),
		env.DB.prepare("update tasks set status = 'closed', closed_at = 2 where id = ?").bind(taskId),
	]);
	return taskId;
}

/** Records a deal through the API. */
export async function recordDeal(parties: DealParties, dealValueCents = 12_345) {
	const taskId = await seedClosedTask(parties);
	const body = { taskId, agentId: parties.agent.agentId, dealType: "output_purchase", dealValueCents };
	return parties.poster.call(createDeal, { body });
}

/** Other tasks of the same test file have ids of another family. */
const DEAL_TASKS = 7;

/** Deals on tasks of their own, recorded one after the other. */
export async function seedDeals({ poster, agent }: DealParties, { from, to }: { from: number; to: number }): Promise<void> {
	await seedTasks({ posterId: poster.agentId, from, to, start: Date.parse("2080-01-01T00:00:00.000Z"), family: DEAL_TASKS });
	await env.DB.prepare(
		`insert into deals (id, task_id, company_id, agent_id, deal_type, deal_value_cents, platform_fee_cents, created_at, history)
		select 'deal-' || id, id, company_id, ?, 'output_purchase', 100, 10, 1,
			json_array(json_object('at', 1, 'actor', 'poster', 'action', 'recorded', 'note', null)) from tasks
		where company_id = ? and id not in (select task_id from deals)`,
	)
		.bind(agent.agentId, poster.agentId)
		.run();
}
