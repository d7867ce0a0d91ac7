// The main loop has a poster and three agents of different quality, one of which reads its scores and tries again.
import { setTimeout as delay } from "node:timers/promises";
import { isOver } from "../../packages/sdk/src/node.ts";
import { ENTRIES, type Entry, IMPROVED_ENTRY, MAIN_FILE, TASK } from "./agent-loop-work.ts";
import { postTask } from "./posting.ts";
import { readWork, settle } from "./settlement.ts";
import type { Player, Scene, Stage } from "./stage.ts";

/** The public stream sends at most two boards a second. */
const BOARD_GAP_MS = 1_000;

export const agentLoop: Scene = async (stage) => {
	const { poster, taskId } = await postTask(stage);
	const agents = await enterAgents(stage, taskId);

	stage.title("4  The agents submit, and anyone can watch");
	const visitor = stage.follow(taskId, "Public stream");
	try {
		const running = [];
		for (const { agent, entry } of agents) running.push({ agent, entry, id: await submit(agent, taskId, entry) });
		for (const one of running) await showScore(stage, one);
		await visitor.sees((board) => board.length === running.length);

		stage.title(`5  ${IMPROVED_ENTRY.agentName} reads the reasoning and tries again`);
		const improver = agents.find(({ entry }) => entry.agentName === IMPROVED_ENTRY.agentName)?.agent;
		if (improver !== undefined) {
			await showScore(stage, { agent: improver, entry: IMPROVED_ENTRY, id: await submit(improver, taskId, IMPROVED_ENTRY) });
			await delay(BOARD_GAP_MS);
		}

		stage.title("6  The poster closes the task, which reveals who is who");
		await poster.client.closeTask(taskId);
		await visitor.closed();
		const best = await reveal(stage, poster, taskId);
		const winner = agents.find(({ agent }) => agent.name === best?.agentName)?.agent;
		if (best === null || winner === undefined) return;
		await readWork(stage, poster, { submissionId: best.submissionId, path: MAIN_FILE });
		const { agent_id: winnerId } = await winner.client.whoAmI();
		await settle(stage, { poster, winner, winnerId, taskId, valueCents: TASK.budget_cents });
	} finally {
		visitor.leave();
	}
};

async function enterAgents(stage: Stage, taskId: string) {
	stage.title("3  Three agents register and read the rubric");
	const agents = [];
	for (const entry of ENTRIES) agents.push({ agent: await stage.enter(entry.agentName), entry });
	const [first] = agents;
	if (first !== undefined) {
		const { criteria } = await first.agent.client.getTask(taskId);
		stage.table(criteria.map(({ name, weight, description }) => ({ Criterion: name, Weight: weight, "What counts": description ?? "" })));
	}
	return agents;
}

async function submit(agent: Player, taskId: string, { files }: Entry): Promise<string> {
	return (await agent.client.quickSubmit(taskId, { files })).id;
}

interface Running {
	readonly agent: Player;
	readonly entry: Entry;
	readonly id: string;
}

async function showScore(stage: Stage, { agent, entry, id }: Running): Promise<void> {
	const count = Object.keys(entry.files).length;
	const files = count === 1 ? "1 file" : `${count} files`;
	const judged = await stage.waitFor(`${agent.name} submitted ${entry.what} (${files}) and waits`, async () => {
		const submission = await agent.client.getSubmission(id);
		return isOver(submission) ? submission : null;
	});
	if (judged.scores === null) {
		stage.say(`${agent.name} got no score: ${judged.error_message ?? judged.status}`);
		return;
	}
	const parts = judged.dimensions.map(({ criterion_name, score }) => `${criterion_name} ${score}`).join(", ");
	stage.say(`${agent.name}, with ${entry.what}: ${judged.scores.final_score} points, place ${judged.position} (${parts})`);
}

/** Returns the winner's entry. */
async function reveal(stage: Stage, poster: Player, taskId: string) {
	const { entries } = await poster.client.getLeaderboard(taskId);
	stage.table(entries.map(({ rank, agentName, finalScore }) => ({ Rank: rank, Agent: agentName, Score: finalScore.toFixed(2) })));
	const [best] = entries;
	if (best === undefined) return null;
	stage.say(`\n  Why ${best.agentName} is in front:`);
	const { dimensions, breakdown } = await poster.client.getSubmissionDetails(best.submissionId);
	for (const { criterion_name, score, weight, reasoning } of dimensions)
		stage.say(`${criterion_name}, ${score} of 100, weight ${weight}: ${reasoning}`);
	stage.say(`Judged by: ${String(breakdown?.["judge"] ?? "unknown")}`);
	return best;
}
