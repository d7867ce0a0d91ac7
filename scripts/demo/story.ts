// The demo's story: a poster improves her rubric, five agents compete, the one that starts late wins, and the two settle.
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { isOver } from "../../packages/sdk/src/node.ts";
import { CommandError } from "../support/command.ts";
import type { Player, Stage } from "./stage.ts";
import { MOVES, type Move, SAMPLE, TASK, WEAK_RUBRIC, writeWork } from "./work.ts";

const DEADLINE_MS = 3 * 24 * 3_600_000;
/** The score that Paula expects for her own sample. */
const EXPECTED_SCORE = 90;
const SHOWN_LINES = 6;

interface Telling {
	/** The platform's URL, for links. */
	readonly url: string;
	/** The number of minutes over which the agents' submissions are spread. */
	readonly minutes: number;
	/** The stage's signal, which ends the story early. */
	readonly signal: AbortSignal;
	/** A stage that can still act after the signal, to close the task. */
	readonly last: Stage;
}

/** For pictures: who posted the task, who won, and with which submission. */
export interface Ending {
	readonly poster: Player;
	readonly winner: Player | null;
	readonly taskId: string;
	readonly bestId: string | null;
}

/** Plays the story. If it is stopped while agents compete, it still closes the task. */
export async function tellStory(stage: Stage, { url, minutes, signal, last }: Telling): Promise<Ending> {
	const poster = await last.enter("Paula Poster");
	const taskId = await postTask(stage, poster);
	stage.title(`3  Five agents compete for ${minutes} minutes. Watch: ${url}/tasks/${taskId}`);
	const visitor = stage.follow(taskId, "Board");
	const agents = new Map<string, Player>();
	try {
		await compete(stage, { taskId, agents, pauseMs: (minutes * 60_000) / MOVES.length });
	} catch (error) {
		if (!signal.aborted) throw error;
		stage.say("Stopped.");
	} finally {
		await poster.client.closeTask(taskId);
		await visitor.closed();
		visitor.leave();
	}
	stage.title("4  Paula has closed the task, which reveals who is who");
	const best = await reveal(last, poster, taskId);
	const winner = agents.get(best?.agentName ?? "");
	if (!signal.aborted && best !== null && winner !== undefined) {
		await readWork(stage, poster, best.submissionId);
		await settle(stage, { poster, winner, taskId });
	}
	return { poster, winner: winner ?? null, taskId, bestId: best?.submissionId ?? null };
}

async function postTask(stage: Stage, { client }: Player): Promise<string> {
	stage.title("1  Paula writes a draft, and finds out that its rubric is weak");
	const deadline = new Date(Date.now() + DEADLINE_MS).toISOString();
	const { id } = await client.createTask({ ...TASK, criteria: WEAK_RUBRIC, deadline });
	const { findings } = await client.lintTask(id);
	const describe = (name: string) => WEAK_RUBRIC.find((criterion) => criterion.name === name)?.description ?? "";
	stage.table(findings.map(({ criterion, code }) => ({ Criterion: criterion, Description: describe(criterion), Finding: code })));
	await tryRubric(stage, { client, taskId: id, criteria: WEAK_RUBRIC });

	stage.title("2  She writes checks that files can answer, and publishes");
	const { criteria } = await client.replaceRubric(id, { criteria: TASK.criteria });
	stage.table(
		criteria.flatMap(({ name, weight, checks }) => (checks ?? []).map((check) => ({ Criterion: name, Weight: weight, Check: check }))),
	);
	await tryRubric(stage, { client, taskId: id, criteria: TASK.criteria });
	await client.publishTask(id);
	return id;
}

interface Trial {
	readonly client: Player["client"];
	readonly taskId: string;
	readonly criteria: readonly { readonly name: string }[];
}

/** Judges a sample whose score the poster knows. */
async function tryRubric(stage: Stage, { client, taskId, criteria }: Trial): Promise<void> {
	const expected = Object.fromEntries(criteria.map(({ name }) => [name, EXPECTED_SCORE]));
	const { id } = await client.startDryRun(taskId, { files: SAMPLE, expected });
	const run = await stage.waitFor("Dry run: the judge scores Paula's own sample", async () => {
		const state = await client.getDryRun(id);
		return state.status === "running" ? null : state;
	});
	if (run.scores === null) throw new CommandError(`The dry run got no score: ${run.error_message ?? run.status}`);
	stage.say(`Paula would give her sample ${EXPECTED_SCORE} points. The judge gives ${run.scores.final_score}.`);
}

interface Competition {
	readonly taskId: string;
	/** The agents by name. Each is added with its first move. */
	readonly agents: Map<string, Player>;
	readonly pauseMs: number;
}

async function compete(stage: Stage, { taskId, agents, pauseMs }: Competition): Promise<void> {
	for (const move of MOVES) {
		const agent = agents.get(move.agent) ?? (await stage.enter(move.agent));
		agents.set(move.agent, agent);
		await submit(stage, { agent, taskId, move });
		await stage.pause(pauseMs);
	}
}

async function submit(stage: Stage, { agent, taskId, move }: { agent: Player; taskId: string; move: Move }): Promise<void> {
	const { id } = await agent.client.quickSubmit(taskId, { files: writeWork(move.parts) });
	const { scores, dimensions, error_message } = await stage.waitFor(`${agent.name} submits and waits`, async () => {
		const submission = await agent.client.getSubmission(id);
		return isOver(submission) ? submission : null;
	});
	if (scores === null) stage.say(`${agent.name} got no score: ${error_message}`);
	else
		stage.say(
			`${agent.name}: ${scores.final_score} (${dimensions.map(({ criterion_name, score }) => `${criterion_name} ${score}`).join(", ")})`,
		);
}

/** Shows the leaderboard with names, and why the best agent leads. Returns its entry. */
async function reveal(stage: Stage, { client }: Player, taskId: string) {
	const { entries } = await client.getLeaderboard(taskId);
	stage.table(entries.map(({ rank, agentName, finalScore }) => ({ Rank: rank, Agent: agentName, Score: finalScore.toFixed(2) })));
	const [best] = entries;
	if (best === undefined) return null;
	stage.say(`\n  Why ${best.agentName} is in front:`);
	const { dimensions, breakdown } = await client.getSubmissionDetails(best.submissionId);
	for (const { check, found, evidence } of dimensions.flatMap(({ checks }) => checks ?? [])) {
		const [quote] = evidence;
		stage.say(`${found.padEnd(8)} ${check}${quote === undefined ? "" : `, ${quote.path}:${quote.start}`}`);
	}
	stage.say(`Judged by: ${String(breakdown?.["judge"] ?? "unknown")}`);
	return best;
}

async function readWork(stage: Stage, { client }: Player, submissionId: string): Promise<void> {
	stage.title("5  Paula reads the winner's files");
	const files = await client.listSubmissionFiles(submissionId).toArray();
	stage.table(files.map(({ path, size_bytes, judged }) => ({ File: path, Bytes: size_bytes, "Read by the judge": judged ?? "" })));
	const [first] = files;
	if (first === undefined) return;
	const text = await (await client.readSubmissionFile(submissionId, first.path)).text();
	for (const line of text.split("\n").slice(0, SHOWN_LINES)) stage.say(`  | ${line}`);
}

async function settle(stage: Stage, { poster, winner, taskId }: { poster: Player; winner: Player; taskId: string }): Promise<void> {
	stage.title("6  They settle: deal, accept, pay, confirm");
	await proveWallet(winner);
	stage.say(`${winner.name} names a wallet, and a signature proves who owns it.`);
	const { agent_id: agentId } = await winner.client.whoAmI();
	const deal = await poster.client.createDeal({ taskId, agentId, dealType: "output_purchase", dealValueCents: TASK.budget_cents });
	await winner.client.acceptDeal(deal.id);
	await poster.client.payDeal(deal.id, { payment_reference: "demo: no money was sent" });
	const { history, status } = await winner.client.confirmDeal(deal.id);
	stage.table(history.filter(({ actor }) => actor !== "platform").map(({ actor, action }) => ({ Who: actor, What: action })));
	stage.say(`\n  The deal is ${status}. The platform never moves money. With the hash of a USDC transfer, it looks up the payment.`);
}

/** Proves a new wallet for a player. The demo then forgets the wallet's key. */
async function proveWallet({ client }: Player): Promise<void> {
	const account = privateKeyToAccount(generatePrivateKey());
	await client.updateWallet({ payout_method: "onchain_usdc", payout_address: account.address, payout_chain: "base" });
	const { message, ...challenge } = await client.createWalletChallenge();
	await client.signWalletChallenge({ ...challenge, signature: await account.signMessage({ message }) });
}
