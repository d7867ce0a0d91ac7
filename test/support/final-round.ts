// A task with a final round whose judge gives each submission the scores that the submission asks for.

import { usesTaskObjects } from "../../src/compose/house.ts";
import { EvaluationFault } from "../../src/domain/evaluation-fault.ts";
import { sweepRounds } from "../../src/features/final-round/service.ts";
import { offlineJudge } from "../../src/features/judging/offline.ts";
import { getLeaderboard } from "../../src/features/leaderboard/contract.ts";
import { quickSubmit } from "../../src/features/submissions/contract.ts";
import { closeTask, getTask } from "../../src/features/tasks/contract.ts";
import { settleTask } from "../../src/features/tasks/service.ts";
import type { Deps } from "../../src/ports/deps.ts";
import type { Judge } from "../../src/ports/judge.ts";
import { testDeps } from "./deps.ts";
import { createObjectWorld } from "./object-world.ts";
import { GOOD_FILES, hoursFromNow, openTask, type RegisteredClient, registerAgent } from "./scenario.ts";
import { count } from "./storage.ts";
import { queryTask } from "./task-object.ts";
import { createWorld, PLATFORM_FAULT, type World } from "./world.ts";

const QUEUE = "bounty-platform-evaluation";
const MAX_TURNS = 500;
const at = (id: string) => ({ params: { id } });

/**
 * What a submission is worth to {@link scriptedJudge}: before the end, and in the final round, where null makes judging fail without
 * its fault, and `silence` through it.
 */
interface Worth {
	readonly now: number;
	readonly final: number | null | "silence";
	/** Submissions of equal salt are nearly the same. Others are not alike. */
	readonly salt?: string;
	/** Makes artifacts of equal salt and worth differ a little. */
	readonly tweak?: string;
}

/** What samples differ by. Their median is the score. */
const NOISE = [0, 1, -1, 2, -2];

const OWN_FAULT = new EvaluationFault("Something in your files keeps the judge from replying.", {
	blame: "submission",
	isRetryable: false,
});

/** Reads the scores from the file `worth.json`. A request for a number of samples is one of a final round. */
export function scriptedJudge(change: Partial<Judge> = {}): Judge {
	return {
		...offlineJudge,
		name: "scripted",
		promptVersion: "scripted-1",
		judgeCriterion({ files, samples }) {
			const worth: Worth = JSON.parse(files.find(({ path }) => path === "worth.json")?.text ?? "{}");
			const score = samples === undefined ? worth.now : worth.final;
			if (score === null) return Promise.reject(PLATFORM_FAULT);
			if (score === "silence") return Promise.reject(OWN_FAULT);
			const records = Array.from({ length: samples ?? 3 }, (_, index) => {
				return {
					model: "scripted",
					level: null,
					score: score + (NOISE[index % NOISE.length] ?? 0),
					isInjectionSuspected: false,
					isCapped: false,
				};
			});
			return Promise.resolve({ score, reasoning: "as asked", evidence: [], samples: records, cutFiles: [], strippedCharacters: 0 });
		},
		...change,
	};
}

interface RoundOptions {
	readonly task?: Readonly<Record<string, unknown>>;
	readonly judge?: Judge;
	readonly poster?: RegisteredClient;
	/** The object sends leaderboards at most twice a second, by its clock. */
	readonly isInRealTime?: boolean;
}

/** A published task with a final round, on a clock and a queue of its own. */
export function createRound(options: RoundOptions = {}): Promise<Round> {
	return usesTaskObjects ? createObjectRound(options) : createTableRound(options);
}

/** What is different in the two houses. */
interface House {
	readonly world: Pick<World, "clock" | "enter">;
	/** Judges what waits, and what follows from it, until nothing does. */
	readonly workOff: (change?: Partial<Deps>) => Promise<void>;
	/** Has many consumers judge at once, each what it finds. */
	readonly judgeAtOnce: (change: Partial<Deps>) => Promise<unknown>;
	/** What alarms and sweeps do when their time has come. */
	readonly settle: () => Promise<void>;
	readonly countCandidates: () => Promise<number>;
}

export type Round = House & ReturnType<typeof describeRound>;

/** {@link createRound} in the tables. */
export async function createTableRound({ task = {}, judge = scriptedJudge(), ...given }: RoundOptions = {}) {
	const world = createWorld();
	const poster = given.poster ?? (await registerAgent("Poster"));
	const taskId = await openTask(world.enter(poster, { judge }), { final_round: true, deadline: hoursFromNow(48), ...task });
	const workOff = async (change: Partial<Deps> = { judge }) => {
		for (let turn = 0; world.queue.sent.length > 0 && turn < MAX_TURNS; turn += 1) {
			const [next] = world.queue.sent.splice(0, 1);
			world.clock.advance((next?.delaySeconds ?? 0) * 1000);
			await world.deliver(QUEUE, [next?.message], change);
		}
	};
	const house = {
		world,
		workOff,
		judgeAtOnce: (change: Partial<Deps>) =>
			Promise.all(world.queue.sent.splice(0).map(({ message }) => world.deliver(QUEUE, [message], change))),
		async settle() {
			const own = world.deps();
			await settleTask(own, taskId);
			await own.settled();
			await sweepRounds(world.deps());
		},
		countCandidates: () => count("select count(*) from final_candidates where task_id = ?", taskId),
	};
	return { ...house, ...describeRound(house, { taskId, poster }) };
}

/** {@link createRound} in a Task object. */
async function createObjectRound({ task = {}, judge = scriptedJudge(), isInRealTime = false, ...given }: RoundOptions = {}) {
	const world = createObjectWorld({ judge, ...(isInRealTime ? { clock: testDeps().clock } : {}) });
	const poster = given.poster ?? (await registerAgent("Poster"));
	const taskId = await openTask(world.enter(poster), { final_round: true, deadline: hoursFromNow(48), ...task });
	const workOff = async (change: Partial<Deps> = {}) => {
		for (let turn = 0; turn < MAX_TURNS; turn += 1) {
			await world.ring(taskId);
			const jobs = await world.jobsOf(taskId);
			if (jobs.length === 0) return;
			if (jobs.some(({ state }) => state === "ready")) await world.visit(taskId, change);
			else world.clock.advance(Math.max(0, Math.min(...jobs.map(({ due_at }) => due_at)) - world.clock.now()));
		}
	};
	const house = {
		world,
		workOff,
		judgeAtOnce: async (change: Partial<Deps>) => Promise.all((await world.jobsOf(taskId)).map(() => world.visit(taskId, change))),
		settle: () => world.ring(taskId),
		countCandidates: async () => (await queryTask(taskId, "select 1 from final_candidates")).length,
	};
	return { ...house, ...describeRound(house, { taskId, poster }) };
}

function describeRound(
	{ world, workOff }: Pick<House, "world" | "workOff">,
	{ taskId, poster }: { taskId: string; poster: RegisteredClient },
) {
	/** Submits, and leaves the evaluation to the test. */
	const submit = async ({ salt = crypto.randomUUID(), tweak = "", ...scores }: Worth, agent?: RegisteredClient) => {
		const who = agent ?? (await registerAgent());
		const words = Array.from({ length: 200 }, (_, index) => `word${salt.replaceAll("-", "")}${index}`).join(" ");
		const files = { ...GOOD_FILES, "work.txt": `${words} ${tweak}`, "worth.json": JSON.stringify(scores) };
		const { id } = await world.enter(who).call(quickSubmit, { ...at(taskId), body: { files } });
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
		close: () => world.enter(poster).call(closeTask, at(taskId)),
		/** A second after the deadline, wherever the world's clock began. */
		async passDeadline() {
			const { deadline } = await world.enter(poster).call(getTask, at(taskId));
			world.clock.advance(Date.parse(deadline) + 1000 - world.clock.now());
		},
		board: () => world.enter(poster).call(getLeaderboard, at(taskId)),
		task: () => world.enter(poster).call(getTask, at(taskId)),
	};
}
