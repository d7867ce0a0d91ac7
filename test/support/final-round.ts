// Provides a task with a final round whose judge gives each submission the scores that its files contain.

import type { Config } from "../../src/config/env.ts";
import { offlineJudge } from "../../src/core/judging/engine/offline.ts";
import { criterionScore, SAMPLE_COUNTS } from "../../src/domain/checks.ts";
import { EvaluationFault } from "../../src/domain/evaluation-fault.ts";
import { FURTHER_SAMPLES } from "../../src/extensions/final-round/rules.ts";
import type { Deps } from "../../src/ports/deps.ts";
import type { AttemptOutcome, EvaluationRequest, Judge, JudgedFile } from "../../src/ports/judge.ts";
import { testDeps } from "./deps.ts";
import { GOOD_FILES, hoursFromNow, openTask, type RegisteredClient, registerAgent } from "./scenario.ts";
import { queryTask } from "./task-object.ts";
import { createWorld, type World } from "./world.ts";

const at = (id: string) => ({ params: { id } });

/**
 * The scores that {@link scriptedJudge} gives a submission: before the end, and in the final round. With null, judging waits for a supplier
 * that stays away. With `silence`, judging fails because of the submission.
 */
interface Worth {
	readonly now: number;
	readonly final: number | null | "silence";
	/** The score of further samples. With null, they fail. The default is the score of the final round. */
	readonly tie?: number | null;
	/** Submissions with the same salt are nearly the same. Others are not similar. */
	readonly salt?: string;
	/** Makes the artifacts of submissions with the same salt and scores differ a little. */
	readonly tweak?: string;
}

/** How the samples of a criterion differ from the score. Their mean is the score. */
const NOISE = [0, 1, -1, 2, -2];

const OWN_FAULT = new EvaluationFault("Something in your files keeps the judge from replying.", {
	blame: "submission",
	isRetryable: false,
});

/** A fault after which a job waits for the supplier, and ends after 24 hours. */
const SUPPLIER_AWAY = new EvaluationFault("The supplier cannot be reached.", {
	blame: "platform",
	isRetryable: true,
	waitsFor: "supplier",
});

/**
 * Returns a judge that reads the scores from the file `worth.json`. A request with a number of samples belongs to a final round, or to a
 * tie in it.
 */
export function scriptedJudge(change: Partial<Judge> = {}): Judge {
	return {
		...offlineJudge,
		name: "scripted",
		promptVersion: "scripted-1",
		async evaluate(request) {
			const worth = worthOf(request.files);
			const score = scoreIn(worth, request.samples);
			if (score === null) throw SUPPLIER_AWAY;
			if (score === "silence") throw OWN_FAULT;
			const scores = Array.from({ length: request.samples }, (_, index) => score + (NOISE[index % NOISE.length] ?? 0));
			return finishedWith(request, () => scores);
		},
		...change,
	};
}

function scoreIn({ now, final, tie }: Worth, samples: number): Worth["final"] {
	if (samples === FURTHER_SAMPLES) return tie === undefined ? final : tie;
	return samples === SAMPLE_COUNTS.replacing ? final : now;
}

/** Returns the outcome of a judge that gives the samples of each criterion these scores, and each criterion their mean. */
export function finishedWith(
	request: Pick<EvaluationRequest, "criteria">,
	scoresOf: (criterion: string) => readonly number[],
): AttemptOutcome {
	const criteria = request.criteria.map(({ name }) => {
		const samples = scoresOf(name).map((score) => ({ model: "scripted", found: [], score }));
		return { name, score: criterionScore(samples), checks: [], samples, gaps: [], reasoning: "as asked", isInjectionSuspected: false };
	});
	const judgement = { criteria, models: [], cutFiles: [], strippedCharacters: 0, quotes: { claimed: 0, real: 0 } };
	return { kind: "finished", judgement };
}

function worthOf(files: readonly JudgedFile[]): Worth {
	return JSON.parse(files.find(({ path }) => path === "worth.json")?.text ?? "{}");
}

interface RoundOptions {
	readonly task?: Readonly<Record<string, unknown>>;
	readonly judge?: Judge;
	readonly poster?: RegisteredClient;
	readonly config?: Config;
	/** If true, the real clock is used, because the object sends leaderboards at most twice a second by its clock. */
	readonly isInRealTime?: boolean;
}

/** Returns a published task with a final round, on a separate clock and queue. */
export async function createRound({ task = {}, judge = scriptedJudge(), isInRealTime = false, ...given }: RoundOptions = {}) {
	const replaced = {
		...(isInRealTime ? { clock: testDeps().clock } : {}),
		...(given.config === undefined ? {} : { config: given.config }),
	};
	const world = createWorld({ judge, ...replaced });
	const poster = given.poster ?? (await registerAgent("Poster"));
	const taskId = await openTask(world.enter(poster), { final_round: true, deadline: hoursFromNow(48), ...task });
	const jobsOf = () => queryTask(taskId, "select 1 from jobs");
	/** Judges until nothing is left. */
	const workOff = (change: Partial<Deps> = {}) => world.workOffTask(taskId, change);
	return {
		world,
		workOff,
		/** Lets many consumers judge in parallel. */
		judgeAtOnce: async (change: Partial<Deps>) => Promise.all((await jobsOf()).map(() => world.visitTask(taskId, change))),
		/** Does the work of the alarm if it is due. */
		settle: () => world.ring(taskId),
		/** Counts the judgements that the object keeps until the order is decided. */
		countKept: async () => (await queryTask(taskId, "select 1 from round_judgements")).length,
		countCandidates: async () => (await queryTask(taskId, "select 1 from final_candidates")).length,
		...describeRound({ world, workOff }, { taskId, poster }),
	};
}

function wordsOf(salt: string): string {
	return Array.from({ length: 200 }, (_, index) => `word${salt.replaceAll("-", "")}${index}`).join(" ");
}

interface House {
	readonly world: Pick<World, "clock" | "enter">;
	readonly workOff: () => Promise<void>;
}

function describeRound({ world, workOff }: House, { taskId, poster }: { taskId: string; poster: RegisteredClient }) {
	/** Submits, and leaves the evaluation to the test. */
	const submit = async ({ salt = crypto.randomUUID(), tweak = "", ...scores }: Worth, agent?: RegisteredClient) => {
		const who = agent ?? (await registerAgent());
		const files = { ...GOOD_FILES, "work.txt": `${wordsOf(salt)} ${tweak}`, "worth.json": JSON.stringify(scores) };
		const { id } = await world.enter(who).call("quickSubmit", { ...at(taskId), body: { files } });
		return { id, agent: world.enter(who), agentId: who.agentId };
	};
	return {
		taskId,
		poster: world.enter(poster),
		posterAgent: poster,
		submit,
		/** Submits and judges. */
		async enter(worth: Worth, agent?: RegisteredClient) {
			const entry = await submit(worth, agent);
			await workOff();
			return entry;
		},
		close: () => world.enter(poster).call("closeTask", at(taskId)),
		/** Moves the clock, wherever it is, to a second after the deadline. */
		async passDeadline() {
			const { deadline } = await world.enter(poster).call("getTask", at(taskId));
			world.clock.advance(Date.parse(deadline) + 1000 - world.clock.now());
		},
		board: () => world.enter(poster).call("getLeaderboard", at(taskId)),
		task: () => world.enter(poster).call("getTask", at(taskId)),
	};
}
