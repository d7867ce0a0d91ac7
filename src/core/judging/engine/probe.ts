// Before its answers count, a model must show that it can judge: it is asked about six pairs of small test submissions whose right answers
// are known.
import { UNKNOWN_PRICE } from "../../../config/judge-settings.ts";
import { HOUR_MS, MINUTE_MS } from "../../../platform/clock.ts";
import type { JudgeWait, PaidCall } from "../../../ports/judge.ts";
import { CHECKPOINT } from "../rules.ts";
import { waitOf } from "./asking.ts";
import { type CallingContext, untilAllEnded } from "./context.ts";
import { controlConfirmation, controlRequest } from "./control.ts";
import { prepareFile, showMaterial } from "./material.ts";
import { PROBE_PAIRS, PROBE_TASK, type ProbePair, probeCriterion } from "./probe-material.ts";
import {
	FIRST_PROBES,
	isProbeDue,
	type ProbeAnswer,
	type ProbeAnswers,
	type ProbeKey,
	type ProbeRecord,
	type ProbeStore,
	type ProbeTally,
	verdictOf,
} from "./probe-record.ts";
import { askChecks, askConfirmation, writeShared } from "./prompts.ts";
import { findProofs } from "./proof.ts";
import { answerFormat, confirmationFormat, readAnswers, readConfirmations } from "./replies.ts";
import { type Question, sendQuestion } from "./sending.ts";
import { showWords } from "./supplier-answers.ts";
import { explainWait, WaitError } from "./waits.ts";

/** How long a claim to probe a model lasts: longer than any attempt. */
const CLAIM_MS = CHECKPOINT.breakOffAfterMs + MINUTE_MS;

export interface Prober {
	readonly store: ProbeStore;
	/**
	 * Reserves the expected cost of probes, in millionths of a US dollar, as a cost of the deployment, not of the job that triggers the
	 * probe.
	 *
	 * @throws if the ceilings do not allow the calls now.
	 */
	begin(microUsd: number): Promise<ProbeAccount>;
}

export interface ProbeAccount {
	readonly onCall: (call: PaidCall) => void;
	/** Replaces the reservation with the actual cost. */
	settle(): Promise<void>;
}

/** The tokens of one probe call. It sends the rules and a small test submission. The output allows for a reply twice as long as usual. */
const PROBE_TOKENS = { input: 1_800, output: 320 } as const;

/** Estimates what this number of probe calls will cost, in millionths of a US dollar. */
export function estimateProbes({ settings }: Pick<CallingContext, "settings">, model: string, calls: number): number {
	const { input, output } = settings.prices.get(model) ?? UNKNOWN_PRICE;
	return Math.ceil(calls * (PROBE_TOKENS.input * input + PROBE_TOKENS.output * output));
}

/** Returns what jobs must wait for if a model may not judge, or null if it may. Probes the model first if a probe is due. */
export async function findProbeWait(context: CallingContext, prober: Prober, key: ProbeKey): Promise<JudgeWait | null> {
	const { clock } = context.deps;
	const record = (await prober.store.read(key)) ?? { tallies: [], begun: {}, probedAt: 0 };
	const due = isProbeDue(key.role, record, clock.now()) ? await probeWhereDue(context, prober, { key, record }) : record;
	if ("message" in due) return due;
	const verdict = verdictOf(key.role, due);
	if (verdict === null) return waitFor(`The judge's model ${key.model} is being probed.`, MINUTE_MS);
	const job = key.role === "judge" ? "judge" : "confirm quotes";
	return verdict.isFit ? null : waitFor(`The model ${key.model} cannot ${job}: ${verdict.reason}.`, HOUR_MS);
}

/**
 * Makes the probes that are due, and returns the new record. If calls fail and no earlier verdict allows the model, returns what to wait
 * for.
 */
async function probeWhereDue(
	context: CallingContext,
	{ store, begin }: Prober,
	{ key, record }: { readonly key: ProbeKey; readonly record: ProbeRecord },
): Promise<ProbeRecord | JudgeWait> {
	const { clock } = context.deps;
	const now = clock.now();
	// Another caller is probing. Until it has finished, the earlier verdict counts.
	if (!(await store.claim(key, { now, until: now + CLAIM_MS }))) return record;
	const tallies: ProbeTally[] = [];
	let begun: ProbeAnswers = { ...record.begun };
	const probes = Math.max(1, FIRST_PROBES - record.tallies.length);
	try {
		const calls = probes * PROBE_CALLS - Object.keys(begun).length;
		const { onCall, settle } = await begin(estimateProbes(context, key.model, calls));
		const probing = { ...context, watch: { ...context.watch, onCall } };
		try {
			for (let left = probes; left > 0; left -= 1) {
				tallies.push(await probeOnce(probing, key, begun));
				begun = {};
			}
		} finally {
			await settle();
		}
	} catch (error) {
		// Keeps the old time of the last probe, so that the rest of this probe stays due.
		const rest = await store.add(key, { tallies, begun, now: record.probedAt });
		if (!(error instanceof WaitError)) throw error;
		return verdictOf(key.role, record)?.isFit === true ? rest : error.wait;
	}
	return store.add(key, { tallies, begun, now: clock.now() });
}

function waitFor(message: string, retryAfterMs: number): JudgeWait {
	return { reason: "supplier", message, retryAfterMs, supplierWords: null };
}

const WORKS = PROBE_PAIRS.flatMap((pair, index) =>
	(["honest", "dishonest"] as const).map((kind): Work => ({ name: `${index}/${kind}`, pair, kind })),
);

/** The number of calls that a probe makes. */
export const PROBE_CALLS = WORKS.length;

/**
 * Asks about each test submission once.
 *
 * @param answers The answers so far. Their questions are not asked again, and new answers are added.
 * @throws WaitError if a call fails, because that says nothing about the model.
 */
export async function probeOnce(
	context: CallingContext,
	{ model, role }: Pick<ProbeKey, "model" | "role">,
	answers: ProbeAnswers,
): Promise<ProbeTally> {
	const ask = role === "judge" ? askAsJudge : askAsConfirmer;
	let hasFailed = false;
	const open = WORKS.filter(({ name }) => answers[name] === undefined);
	await untilAllEnded(open, async (work) => {
		while (answers[work.name] === undefined && !hasFailed) {
			await context.runAtGate(model, async () => {
				if (hasFailed) return;
				try {
					const answer = await ask(context, model, work);
					if (answer !== null) answers[work.name] = answer;
				} catch (error) {
					hasFailed = true;
					throw error;
				}
			});
		}
	});
	const judgedWorks = WORKS.map(({ name, kind }) => ({ kind, ...(answers[name] ?? NO_ANSWER) }));
	const count = (kind: Work["kind"]) => {
		const own = judgedWorks.filter((one) => one.kind === kind);
		return { asked: own.length, right: own.filter(({ isYes }) => isYes === (kind === "honest")).length };
	};
	return {
		claimed: judgedWorks.filter(({ isYes }) => isYes === true).length,
		real: judgedWorks.filter(({ isYes, isReal }) => isYes === true && isReal).length,
		unread: judgedWorks.filter(({ isYes }) => isYes === null).length,
		honest: count("honest"),
		dishonest: count("dishonest"),
	};
}

const LONG_MARK = "pr99";
const LONG_CHECK = "A file has more than one line";

/**
 * Sends as many characters as a call may have. Returns how many of them the server accepted.
 *
 * @throws WaitError if the server accepts too few, or if the call fails.
 */
export async function findRoom(context: CallingContext, model: string): Promise<number> {
	const long = { path: "src/long.txt", text: " ".repeat(context.settings.maxInputCharacters) };
	const request = controlRequest({ task: PROBE_TASK, files: [long], unreadPaths: [], missingSections: [], facts: [] });
	const write = (room: number) =>
		askChecks(writeShared(request, { mark: LONG_MARK, room }), probeCriterion(LONG_CHECK), { positions: [0], note: null });
	const question = { form: "checks", model, format: answerFormat(1), read: (text: string) => readAnswers(text, 1) } as const;
	const delivered = await deliverProbe(context, { ...question, write, writeControl: write });
	return delivered?.room ?? findRoom(context, model);
}

interface Work {
	readonly name: string;
	readonly pair: ProbePair;
	readonly kind: "honest" | "dishonest";
}

const NO_ANSWER: ProbeAnswer = { isYes: null, isReal: false };

/** Asks a model about one test submission. Returns null if the question must be asked again. */
async function askAsJudge(context: CallingContext, model: string, { pair, kind }: Work): Promise<ProbeAnswer | null> {
	const files = [{ path: pair[kind].path, text: pair[kind].text }];
	const request = { task: PROBE_TASK, files, unreadPaths: [], missingSections: [], facts: [] };
	const mark = markOf(pair);
	const write = (of: typeof request, room: number) =>
		askChecks(writeShared(of, { mark, room }), probeCriterion(pair.check), { positions: [0], note: null });
	const reply = await askProbe(context, {
		...{ form: "checks", model, format: answerFormat(1), read: (text) => readAnswers(text, 1) },
		write: (room) => write(request, room),
		writeControl: (room) => write(controlRequest(request), room),
	});
	if (reply === null) return null;
	const answer = reply.answer?.checks[0];
	if (answer == null) return NO_ANSWER;
	const { shown } = showMaterial(request, { mark, room: 10_000 });
	const isYes = answer.found === "yes" || answer.found === "partly";
	return { isYes, isReal: findProofs(answer.quotes, { shown, mark, claimsProve: false }).length > 0 };
}

/** A confirmer is shown the right lines, or lines that only look right. */
async function askAsConfirmer(context: CallingContext, model: string, { pair, kind }: Work): Promise<ProbeAnswer | null> {
	const work = pair[kind];
	const { lines } = prepareFile({ path: work.path, text: work.text });
	const at = lines.indexOf(work.line);
	const confirmed = [{ check: pair.check, lines: lines.slice(Math.max(0, at - 2), at + 4) }];
	const reply = await askProbe(context, {
		...{ form: "confirmation", model, format: confirmationFormat(1), read: (text) => readConfirmations(text, 1) },
		write: () => askConfirmation(confirmed, markOf(pair)),
		writeControl: () => controlConfirmation(confirmed, markOf(pair)),
	});
	if (reply === null) return null;
	const answer = reply.answer?.[0];
	return answer == null ? NO_ANSWER : { isYes: answer !== "no", isReal: false };
}

/** The probe's files come from the platform, so their marks do not have to be random. */
function markOf(pair: ProbePair): string {
	return `pr${10 + PROBE_PAIRS.indexOf(pair)}`;
}

async function askProbe<Answer>(context: CallingContext, question: Question<Answer>): Promise<{ readonly answer: Answer | null } | null> {
	const delivered = await deliverProbe(context, question);
	return delivered === null ? null : { answer: question.read(delivered.reply.text) };
}

/** Asks one question of a probe. Returns null if the server cut off the reply because of another call of ours. */
async function deliverProbe<Answer>(context: CallingContext, question: Question<Answer>) {
	context.assertGoing(question.model);
	const { outcome, room } = await sendQuestion(context, question, { patience: 1, isControl: false });
	if (outcome.kind === "reply") return { reply: outcome.reply, room };
	if (outcome.kind === "unfinished" && context.noteBrokenOff(question.model)) return null;
	const wait = waitOf(question.model, outcome);
	if (wait !== null) throw wait;
	if (outcome.kind === "unheard") {
		context.assertGoing(question.model);
		// The test submissions come from the platform, so no agent can have caused this.
		throw new WaitError(question.model, { ...explainWait(question.model, outcome), breaker: "fault" });
	}
	const words = outcome.kind === "error" ? `Status ${outcome.status}: ${outcome.words}` : outcome.words;
	const message = `The judge's model ${question.model} could not be probed, because a call failed.`;
	throw new WaitError(question.model, {
		reason: "supplier",
		message,
		retryAfterMs: MINUTE_MS,
		supplierWords: showWords(words),
		breaker: "fault",
	});
}
