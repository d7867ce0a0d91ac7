// A task with a final round whose judge gives each submission the scores that the submission asks for.

import { EvaluationFault } from "../../src/domain/evaluation-fault.ts";
import { offlineJudge } from "../../src/features/judging/offline.ts";
import { getLeaderboard } from "../../src/features/leaderboard/contract.ts";
import { quickSubmit } from "../../src/features/submissions/contract.ts";
import { closeTask, getTask } from "../../src/features/tasks/contract.ts";
import type { Deps } from "../../src/ports/deps.ts";
import type { Judge } from "../../src/ports/judge.ts";
import { GOOD_FILES, hoursFromNow, openTask, type RegisteredClient, registerAgent } from "./scenario.ts";
import { createWorld, PLATFORM_FAULT, readJob } from "./world.ts";

const QUEUE = "bounty-platform-evaluation";
const HOUR_MS = 3_600_000;
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
}

/** A published task with a final round, on a clock and a queue of its own. */
export async function createRound({ task = {}, judge = scriptedJudge(), ...given }: RoundOptions = {}) {
	const world = createWorld();
	const poster = given.poster ?? (await registerAgent("Poster"));
	const taskId = await openTask(world.enter(poster, { judge }), { final_round: true, deadline: hoursFromNow(48), ...task });
	const replaced = { judge };
	/** Delivers what waits in the queue, and what follows from it, until nothing does. */
	const workOff = async (change: Partial<Deps> = replaced) => {
		for (let turn = 0; world.queue.sent.length > 0 && turn < 500; turn += 1) {
			const [next] = world.queue.sent.splice(0, 1);
			world.clock.advance((next?.delaySeconds ?? 0) * 1000);
			await world.deliver(QUEUE, [next?.message], change);
		}
	};
	return {
		world,
		taskId,
		poster: world.enter(poster),
		posterAgent: poster,
		workOff,
		/** Submits and judges. */
		async enter(worth: Worth, agent?: RegisteredClient) {
			const who = agent ?? (await registerAgent());
			const { salt = crypto.randomUUID(), tweak = "", ...scores } = worth;
			const words = Array.from({ length: 200 }, (_, index) => `word${salt.replaceAll("-", "")}${index}`).join(" ");
			const files = { ...GOOD_FILES, "work.txt": `${words} ${tweak}`, "worth.json": JSON.stringify(scores) };
			const { id } = await world.enter(who).call(quickSubmit, { ...at(taskId), body: { files } });
			await workOff();
			return { id, agent: world.enter(who), agentId: who.agentId, job: () => readJob(id) };
		},
		close: () => world.enter(poster).call(closeTask, at(taskId)),
		passDeadline: () => world.clock.advance(48 * HOUR_MS + 1000),
		board: () => world.enter(poster).call(getLeaderboard, at(taskId)),
		task: () => world.enter(poster).call(getTask, at(taskId)),
	};
}
