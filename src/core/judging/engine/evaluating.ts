// Judges a submission by the checks of the rubric, as far as possible in a single attempt.
import { type CheckSample, criterionScore, type Finding, sampleScore, typicalSample } from "../../../domain/checks.ts";
import type {
	Attempt,
	AttemptOutcome,
	CheckJudgement,
	CriterionBrief,
	CriterionJudgement,
	EvaluationRequest,
} from "../../../ports/judge.ts";
import type { CallDeps } from "./calling.ts";
import { type CallingContext, createSharedPrompts, type EngineSettings, openContext, untilAllEnded } from "./context.ts";
import { controlRequest } from "./control.ts";
import { checksQuestion, judgeCall, type PlannedCall, type SampleContext } from "./judging-call.ts";
import { type Kept, type KeptCall, type KeptSample, newCall, readKept } from "./kept.ts";
import { prepareFile } from "./material.ts";
import { stopOpen } from "./open-suppliers.ts";
import { findProbeWait, type Prober } from "./probe.ts";
import { PROMPT_VERSION } from "./prompts.ts";
import { explainCriterion } from "./texts.ts";
import { WaitError } from "./waits.ts";

/**
 * If an evaluation has a single sample, and a call about a criterion got no answer, this criterion also gets the samples with these
 * indexes.
 */
const FURTHER_SAMPLES = [1, 2];

export async function evaluateByModels(
	deps: CallDeps,
	settings: EngineSettings,
	{ request, attempt, prober }: { readonly request: EvaluationRequest; readonly attempt: Attempt; readonly prober: Prober | null },
): Promise<AttemptOutcome> {
	const calling = openContext(deps, settings, attempt);
	const kept = readKept(attempt.kept, basisOf(settings, request));
	const plan = planCalls(request.criteria, settings.checksPerCall);
	const shared = createSharedPrompts(request, kept.mark);
	const sharedControl = createSharedPrompts(controlRequest(request), kept.mark);
	const evaluation = { ...{ calling, request, kept, plan, shared, sharedControl }, keep: () => attempt.keep(kept) };
	try {
		const going = await stopOpen(calling, (model) => firstQuestion(evaluation, model));
		if (prober !== null) await stopUnfit(calling, prober, going);
		const open = range(0, request.samples).filter((index) => !isSampled(evaluation, index));
		const isOneSample = attempt.isOneSample ?? false;
		await runSamples(evaluation, isOneSample ? open.slice(0, 1) : open, plan);
		if (isOneSample && open.length > 1) return { kind: "waiting", wait: NEXT_SAMPLE, kept };
		const again = planFurther(evaluation);
		if (again.length > 0) await runSamples(evaluation, FURTHER_SAMPLES, again);
		return { kind: "finished", judgement: joinSamples(evaluation) };
	} catch (error) {
		if (error instanceof WaitError) return { kind: "waiting", wait: error.wait, kept };
		throw error;
	} finally {
		calling.end();
	}
}

const NEXT_SAMPLE = {
	reason: "continues",
	message: "The next sample is made in another attempt.",
	retryAfterMs: null,
	supplierWords: null,
} as const;

function isSampled({ kept, plan }: Evaluation, index: number): boolean {
	return plan.every(({ key }) => kept.samples[index]?.calls[key]?.isDone === true);
}

/** Builds the first question. Its control can stand for that of any question, because all have the same form and size. */
function firstQuestion(evaluation: Evaluation, model: string) {
	const [first] = evaluation.plan;
	if (first === undefined) throw new Error("The rubric has no checks, so there is no first question.");
	return checksQuestion({ ...evaluation, model }, first, { positions: first.positions, note: null });
}

/**
 * Stops models that have not passed the probe, so that they neither judge nor confirm.
 *
 * @param going The models whose suppliers can be called.
 */
async function stopUnfit(calling: CallingContext, prober: Prober, going: ReadonlySet<string>): Promise<void> {
	const { models, isConfirming, confirmModel } = calling.settings;
	const judges = models.map((model) => ({ model, role: "judge" as const }));
	const confirming = confirmModel === null ? models : [confirmModel];
	const confirmers = isConfirming ? confirming.map((model) => ({ model, role: "confirmer" as const })) : [];
	for (const { model, role } of [...judges, ...confirmers]) {
		if (!going.has(model)) continue;
		const wait = await findProbeWait(calling, prober, { model, role, promptVersion: PROMPT_VERSION });
		if (wait !== null) calling.stop(model, wait);
	}
}

/**
 * Identifies the judge and the form of the request. Replies of earlier attempts are kept only if both are the same. modes/kept-replies.ts
 * checks the rubric and the artifact.
 */
export function basisOf(settings: EngineSettings, { criteria, files, samples }: EvaluationRequest): string {
	const { models, confirmModel, isConfirming, checksPerCall, temperature } = settings;
	const judge = [PROMPT_VERSION, models, confirmModel, isConfirming, checksPerCall, temperature];
	return JSON.stringify([judge, criteria.map(({ name, checks }) => [name, checks.length]), files.length, samples]);
}

function range(from: number, to: number): number[] {
	return Array.from({ length: to - from }, (_, index) => from + index);
}

/** Distributes the checks of each criterion over calls. */
export function planCalls(criteria: readonly CriterionBrief[], checksPerCall: number): PlannedCall[] {
	return criteria.flatMap((criterion, index) => {
		const calls = Math.ceil(criterion.checks.length / checksPerCall);
		return range(0, calls).map((call) => ({
			key: `${index}/${call}`,
			criterion,
			positions: range(call * checksPerCall, Math.min(criterion.checks.length, (call + 1) * checksPerCall)),
		}));
	});
}

interface Evaluation {
	readonly calling: CallingContext;
	readonly request: EvaluationRequest;
	readonly kept: Kept;
	readonly plan: readonly PlannedCall[];
	readonly shared: SampleContext["shared"];
	readonly sharedControl: SampleContext["sharedControl"];
	readonly keep: () => void;
}

/** @throws WaitError if a sample has to wait, but only after the other samples have ended. */
async function runSamples(evaluation: Evaluation, indexes: readonly number[], plan: readonly PlannedCall[]): Promise<void> {
	await untilAllEnded(indexes, (index) => runSample(evaluation, index, plan));
}

/** Runs a sample with one model. If the model cannot continue, the sample starts over with the next model. */
async function runSample(evaluation: Evaluation, index: number, plan: readonly PlannedCall[]): Promise<void> {
	const { kept, calling } = evaluation;
	const { models } = calling.settings;
	const begun = kept.samples[index]?.model;
	const turns = models.map((_, turn) => models[(index + turn) % models.length] ?? "");
	const order = begun === undefined ? turns : [begun, ...turns.filter((model) => model !== begun)];
	let last: WaitError | null = null;
	for (const model of order) {
		try {
			await runWithModel(evaluation, { index, model, plan });
			return;
		} catch (error) {
			if (!(error instanceof WaitError) || error.model !== model) throw error;
			calling.stop(model, error.wait);
			last ??= error;
		}
	}
	if (last !== null) throw last;
}

async function runWithModel(
	evaluation: Evaluation,
	{ index, model, plan }: { readonly index: number; readonly model: string; readonly plan: readonly PlannedCall[] },
): Promise<void> {
	const { kept, keep, calling } = evaluation;
	calling.assertGoing(model);
	const earlier = kept.samples[index];
	const sample: KeptSample = earlier?.model === model ? earlier : { model, calls: {} };
	for (let before = kept.samples.length; before < index; before += 1) kept.samples[before] ??= null;
	kept.samples[index] = sample;
	await untilAllEnded(plan, async (planned) => {
		const call = sample.calls[planned.key] ?? newCall();
		sample.calls[planned.key] = call;
		try {
			await judgeCall({ ...evaluation, model }, planned, call);
		} catch (error) {
			if (error instanceof WaitError && error.model !== null) calling.stop(error.model, error.wait);
			throw error;
		} finally {
			keep();
		}
	});
}

type Planned = Pick<Evaluation, "request" | "kept" | "plan">;

/** Lists the remaining calls of each sample, as far as is known now. */
export function planOpenCalls(planned: Planned): PlannedCall[][] {
	const { request, kept, plan } = planned;
	const again = planFurther(planned);
	const samples = [...range(0, request.samples).map(() => plan), ...(again.length === 0 ? [] : FURTHER_SAMPLES.map(() => again))];
	return samples.map((calls, index) => calls.filter(({ key }) => kept.samples[index]?.calls[key]?.isDone !== true));
}

/** Returns the calls of criteria whose only sample lacks an answer. */
function planFurther(planned: Planned): PlannedCall[] {
	const silent = planned.request.samples === 1 ? silentCriteria(planned) : new Set<string>();
	return planned.plan.filter(({ criterion }) => silent.has(criterion.name));
}

function callsOf({ kept, plan }: Planned, index: number, criterion: string): KeptCall[] {
	const own = plan.filter((planned) => planned.criterion.name === criterion);
	const calls = own.flatMap(({ key }) => kept.samples[index]?.calls[key] ?? []);
	return calls.length === own.length ? calls : [];
}

function silentCriteria(evaluation: Planned): Set<string> {
	const { criteria } = evaluation.request;
	const isSilent = ({ answers }: KeptCall) => Object.values(answers).some(({ cause }) => cause === "silent");
	return new Set(criteria.map(({ name }) => name).filter((name) => callsOf(evaluation, 0, name).some(isSilent)));
}

/** Combines the samples. The platform computes the scores itself, and ignores any total from a model. */
function joinSamples(evaluation: Evaluation): CheckJudgement {
	const { request, kept } = evaluation;
	const all = kept.samples.flatMap((sample) => Object.values(sample?.calls ?? {}));
	const models = [...new Set(kept.samples.flatMap((sample) => sample?.model ?? []))];
	return {
		criteria: request.criteria.map((criterion) => joinCriterion(evaluation, criterion)),
		models,
		cutFiles: kept.cutFiles,
		strippedCharacters: request.files.reduce((sum, file) => sum + prepareFile(file).removed, 0),
		quotes: { claimed: sum(all.map(({ claimed }) => claimed)), real: sum(all.map(({ real }) => real)) },
	};
}

function sum(values: readonly number[]): number {
	return values.reduce((total, value) => total + value, 0);
}

function joinCriterion(evaluation: Evaluation, criterion: CriterionBrief): CriterionJudgement {
	const { kept } = evaluation;
	const sampled = kept.samples.flatMap((sample, index) => {
		const calls = callsOf(evaluation, index, criterion.name);
		return sample === null || calls.length === 0 ? [] : [{ model: sample.model, calls }];
	});
	const callAbout = (sample: (typeof sampled)[number] | undefined, position: number) =>
		sample?.calls.find(({ answers }) => answers[position] !== undefined);
	const samples = sampled.map((sample): CheckSample => {
		const findings = criterion.checks.map((_, position): Finding => callAbout(sample, position)?.answers[position]?.found ?? "no");
		return { model: sample.model, found: findings, score: sampleScore(findings) };
	});
	// For each check, shows the answer that is nearest to the check's value, which is the mean over the samples.
	const typical = criterion.checks.map((check, position) => {
		const call = callAbout(sampled[typicalSample(samples.map(({ found }) => found[position] ?? "no"))], position);
		return { check, position, call, answer: call?.answers[position] };
	});
	const calls = [...new Set(typical.flatMap(({ call }) => call ?? []))];
	const answered = typical.flatMap(({ position, answer }) => (answer === undefined ? [] : [{ position, answer }]));
	const isInjectionSuspected = sampled.some((one) => one.calls.some((call) => call.isInjectionSuspected));
	return {
		name: criterion.name,
		score: criterionScore(samples),
		checks: typical.map(({ check, answer }) => ({
			check,
			found: answer?.found ?? "no",
			evidence: (answer?.proofs ?? []).map(({ path, start, end, quote }) => ({ path, start, end, quote })),
		})),
		samples,
		gaps: [...new Set(calls.flatMap(({ gaps }) => gaps))],
		reasoning: explainCriterion(calls, { answered, isInjectionSuspected }),
		isInjectionSuspected,
	};
}
