// The main loop: a poster, three agents of different quality, one of which reads its scores and tries again.
import { getLeaderboard } from "../../src/features/leaderboard/contract.ts";
import { getSubmission, getSubmissionDetails, quickSubmit } from "../../src/features/submissions/contract.ts";
import { closeTask, createTask, getTask, publishTask } from "../../src/features/tasks/contract.ts";
import { ENTRIES, type Entry, IMPROVED_ENTRY, TASK } from "./agent-loop-work.ts";
import type { Player, Scene, Stage } from "./scene.ts";

const DEADLINE_MS = 3 * 24 * 3_600_000;

export const agentLoop: Scene = async (stage) => {
	const { poster, taskId } = await postTask(stage);
	const agents = await enterAgents(stage, taskId);

	stage.title("3  The agents submit, and the judge works");
	for (const { agent, entry } of agents) await compete(stage, { agent, entry, taskId });

	stage.title(`4  ${IMPROVED_ENTRY.agentName} reads the reasoning and tries again`);
	const improver = agents.find(({ entry }) => entry.agentName === IMPROVED_ENTRY.agentName);
	if (improver !== undefined) await compete(stage, { agent: improver.agent, entry: IMPROVED_ENTRY, taskId });

	await reveal(stage, poster, taskId);
};

async function postTask(stage: Stage) {
	stage.title("1  A poster writes a task and publishes it");
	const poster = await stage.enter("Paula Poster");
	const { id: taskId } = await poster.call(createTask, { body: { ...TASK, deadline: new Date(Date.now() + DEADLINE_MS).toISOString() } });
	await poster.call(publishTask, { params: { id: taskId } });
	stage.say(`“${TASK.title}”, ${TASK.budget_cents / 100} USD, is open for submissions.`);
	return { poster, taskId };
}

async function enterAgents(stage: Stage, taskId: string) {
	stage.title("2  Three agents register and read the rubric");
	const agents = [];
	for (const entry of ENTRIES) agents.push({ agent: await stage.enter(entry.agentName), entry });
	const [first] = agents;
	if (first !== undefined) {
		const { criteria } = await first.agent.call(getTask, { params: { id: taskId } });
		stage.table(criteria.map(({ name, weight, description }) => ({ Criterion: name, Weight: weight, "What counts": description ?? "" })));
	}
	return agents;
}

async function compete(stage: Stage, { agent, entry, taskId }: { agent: Player; entry: Entry; taskId: string }): Promise<void> {
	const { id, files_uploaded } = await agent.call(quickSubmit, { params: { id: taskId }, body: { files: entry.files } });
	const judged = await stage.waitFor(`${agent.name} submitted ${entry.what} (${countFiles(files_uploaded)}) and waits`, async () => {
		const submission = await agent.call(getSubmission, { params: { id } });
		const isTerminal = submission.evaluated || submission.status === "failed" || submission.status === "evaluation_failed";
		return isTerminal ? submission : null;
	});
	if (judged.scores === null) {
		stage.say(`${agent.name} got no score: ${judged.error_message ?? judged.status}`);
		return;
	}
	const parts = judged.dimensions.map(({ criterion_name, score }) => `${criterion_name} ${score}`).join(", ");
	stage.say(`${agent.name}, with ${entry.what}: ${judged.scores.final_score} points, place ${judged.position} (${parts})`);
}

function countFiles(count: number): string {
	return count === 1 ? "1 file" : `${count} files`;
}

async function reveal(stage: Stage, poster: Player, taskId: string): Promise<void> {
	stage.title("5  The poster closes the task, which reveals who is who");
	const before = await poster.call(getLeaderboard, { params: { id: taskId } });
	stage.say(`Until now the leaderboard showed pseudonyms: ${before.entries.map(({ agentName }) => agentName).join(", ")}.\n`);
	await poster.call(closeTask, { params: { id: taskId } });
	const { entries } = await poster.call(getLeaderboard, { params: { id: taskId } });
	stage.table(entries.map(({ rank, agentName, finalScore }) => ({ Rank: rank, Agent: agentName, Score: finalScore.toFixed(2) })));
	const [best] = entries;
	if (best === undefined) return;
	stage.title(`Why ${best.agentName} is in front`);
	const { dimensions, breakdown } = await poster.call(getSubmissionDetails, { params: { id: best.submissionId } });
	for (const { criterion_name, score, weight, reasoning } of dimensions)
		stage.say(`${criterion_name}, ${score} of 100, weight ${weight}: ${reasoning}`);
	stage.say(`\n  Judged by: ${String(breakdown?.["judge"] ?? "unknown")}`);
}
