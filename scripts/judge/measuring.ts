// Judges labelled submissions with one judge, in the same way as the platform, and compares its answers with people's.
import type { CheckSample, Finding } from "../../src/domain/checks.ts";
import { MINUTE_MS, SECOND_MS } from "../../src/platform/clock.ts";
import type { Attempt, CheckJudgement, EvaluationRequest, Judge, JudgeWait, JudgingStep, PaidCall } from "../../src/ports/judge.ts";
import { balancedAccuracy, compareOrders, noiseOf, type Order, type Rating, type ScoredWork, weightedKappa } from "./agreement.ts";
import type { LabelledCase } from "./labelled-works.ts";

/** A judge with the settings that are compared. */
export interface MeasuredJudge {
	readonly model: string;
	readonly isConfirming: boolean;
	/** Null asks all checks of a criterion at once. */
	readonly checksPerCall: number | null;
	readonly judge: Pick<Judge, "promptVersion" | "evaluate" | "findWholeChecks">;
}

/** Counts of the model's replies. */
export interface Traffic {
	readonly replies: number;
	readonly unreadable: number;
	/** The number of questions that the judge asked a second time. */
	readonly retries: number;
	/** The number of calls that got no reply although the control question did. Their checks count as no. */
	readonly silentCalls: number;
	/** The median time until a reply. Null without replies. */
	readonly medianMs: number | null;
	readonly slowestMs: number | null;
}

export interface Measurement extends Pick<MeasuredJudge, "model" | "isConfirming" | "checksPerCall"> {
	readonly promptVersion: string;
	readonly cases: number;
	/** The submissions without a judgement. The figures cover only the others. */
	readonly failed: readonly { readonly name: string; readonly reason: string }[];
	/** 0.5 for a judge that guesses. */
	readonly balancedAccuracy: number;
	/** 0 for a judge that guesses. */
	readonly kappa: number;
	readonly order: Order;
	readonly quotes: { readonly claimed: number; readonly real: number };
	/** The value of `JUDGE_NOISE` for this model. Null if each criterion had one sample. */
	readonly noise: number | null;
	readonly traffic: Traffic;
	readonly calls: number;
	readonly costUsd: number | null;
	readonly seconds: number;
}

export interface Measuring {
	readonly samples: number;
	/** Returns milliseconds. */
	readonly now: () => number;
	readonly sleep: (milliseconds: number) => Promise<void>;
	/** Called with a line after each submission. */
	readonly report: (line: string) => void;
}

/** The maximum number of attempts for a submission if its judge fails. Attempts that only continue do not count. */
const MAX_ATTEMPTS = 5;
const FIRST_WAIT_MS = 5 * SECOND_MS;
const MAX_WAIT_MS = 5 * MINUTE_MS;
/** The maximum number of attempts in all, because a judge that continues endlessly has a defect. */
const MAX_CONTINUED = 100;

export async function measureJudge(measured: MeasuredJudge, cases: readonly LabelledCase[], options: Measuring): Promise<Measurement> {
	const { judge, model, isConfirming, checksPerCall } = measured;
	const { now, report } = options;
	const watching = watchCalls();
	const startedAt = now();
	const judged: { readonly work: LabelledCase; readonly judgement: CheckJudgement }[] = [];
	const failed: { name: string; reason: string }[] = [];
	const wholeChecks = await findWholeChecks(judge, cases, watching.watch);
	for (const [index, work] of cases.entries()) {
		const result = await judgeWork(judge, { work, wholeChecks: wholeChecks.get(work.group) ?? [] }, { ...options, watch: watching.watch });
		if ("judgement" in result) judged.push({ work, judgement: result.judgement });
		else failed.push({ name: work.name, reason: result.reason });
		report(`${describeJudge(measured)}: ${index + 1} of ${cases.length}, ${work.name}${"reason" in result ? `: ${result.reason}` : ""}`);
	}
	return {
		...{ model, isConfirming, checksPerCall, promptVersion: judge.promptVersion, cases: cases.length, failed },
		...compareAnswers(judged),
		...watching.totals(),
		seconds: (now() - startedAt) / 1000,
	};
}

/** Names a judge with the settings that are compared. */
export function describeJudge({
	model,
	isConfirming,
	checksPerCall,
}: Pick<MeasuredJudge, "model" | "isConfirming" | "checksPerCall">): string {
	const checks = checksPerCall === null ? "all checks per call" : `${checksPerCall} ${checksPerCall === 1 ? "check" : "checks"} per call`;
	return `${model}, ${checks}, ${isConfirming ? "confirmed" : "not confirmed"}`;
}

type Watch = Required<Pick<Attempt, "requestId" | "onCall" | "onStep">>;

/** Asks once for each rubric which checks need the whole submission, as publishing does. */
async function findWholeChecks(judge: MeasuredJudge["judge"], cases: readonly LabelledCase[], watch: Watch) {
	const found = new Map<string, readonly (readonly number[])[]>();
	for (const { group, criteria } of cases) if (!found.has(group)) found.set(group, await judge.findWholeChecks(criteria, watch));
	return found;
}

interface JudgedWork {
	readonly work: LabelledCase;
	readonly wholeChecks: readonly (readonly number[])[];
}

/** Continues an evaluation after each wait, as the platform does, but gives up much earlier than after a day. */
async function judgeWork(
	judge: MeasuredJudge["judge"],
	{ work, wholeChecks }: JudgedWork,
	{ samples, sleep, watch }: Measuring & { readonly watch: Watch },
): Promise<{ readonly judgement: CheckJudgement } | { readonly reason: string }> {
	const { task, files, unreadPaths, missingSections, facts = [] } = work;
	const criteria = work.criteria.map((criterion, index) => ({ ...criterion, wholeChecks: wholeChecks[index] ?? [] }));
	const request: EvaluationRequest = { task, criteria, files, unreadPaths, missingSections, facts, samples };
	let kept: unknown = null;
	let waits = 0;
	for (let attempt = 0; attempt < MAX_CONTINUED; attempt += 1) {
		const outcome = await judge.evaluate(request, {
			...watch,
			kept,
			keep: (value) => {
				kept = value;
			},
		});
		if (outcome.kind === "finished") return { judgement: outcome.judgement };
		kept = outcome.kept;
		if (outcome.wait.reason === "continues") continue;
		waits += 1;
		if (waits === MAX_ATTEMPTS) return { reason: explainWait(outcome.wait) };
		await sleep(Math.min(MAX_WAIT_MS, outcome.wait.retryAfterMs ?? FIRST_WAIT_MS * 2 ** (waits - 1)));
	}
	return { reason: `It did not end within ${MAX_CONTINUED} attempts.` };
}

function explainWait({ message, supplierWords }: JudgeWait): string {
	return supplierWords === null ? message : `${message} The supplier says: ${supplierWords}`;
}

/** Counts what a judge does. */
function watchCalls() {
	const paid: PaidCall[] = [];
	const steps: JudgingStep[] = [];
	const watch: Watch = { requestId: null, onCall: (call) => paid.push(call), onStep: (step) => steps.push(step) };
	return {
		watch,
		totals() {
			const known = paid.flatMap(({ costMicroUsd }) => (costMicroUsd === null ? [] : [costMicroUsd]));
			const costUsd = known.length === 0 ? null : known.reduce((sum, cost) => sum + cost, 0) / 1_000_000;
			return { traffic: describeTraffic(steps), calls: paid.length, costUsd };
		},
	};
}

function describeTraffic(steps: readonly JudgingStep[]): Traffic {
	const replies = steps.filter((step) => step.kind === "reply");
	const times = replies.map(({ milliseconds }) => milliseconds).toSorted((a, b) => a - b);
	return {
		replies: replies.length,
		unreadable: replies.filter(({ isReadable }) => !isReadable).length,
		retries: replies.filter(({ isRepeated }) => isRepeated).length,
		silentCalls: steps.filter(({ kind }) => kind === "silence").length,
		medianMs: times[Math.floor(times.length / 2)] ?? null,
		slowestMs: times.at(-1) ?? null,
	};
}

/** Compares each sample with people's answers, because the platform usually takes one sample. The order follows from the scores. */
function compareAnswers(judged: readonly { readonly work: LabelledCase; readonly judgement: CheckJudgement }[]) {
	const ratings: Rating[] = [];
	const repeated: Finding[][] = [];
	const works: ScoredWork[] = [];
	for (const { work, judgement } of judged) {
		const { criteria, answers, group, name, expected } = work;
		const scoreOf = (criterion: string) => judgement.criteria.find((one) => one.name === criterion)?.score ?? 0;
		works.push({
			group,
			name,
			expected,
			given: criteria.reduce((sum, { name: criterion, weight }) => sum + (weight * scoreOf(criterion)) / 100, 0),
		});
		for (const criterion of judgement.criteria) {
			for (const [check, { found: label }] of (answers[criterion.name] ?? []).entries()) {
				const findings = criterion.samples.map((sample: CheckSample) => sample.found[check] ?? "no");
				ratings.push(...findings.map((given) => ({ expected: label, given })));
				repeated.push(findings);
			}
		}
	}
	const total = (pick: (judgement: CheckJudgement) => number) => judged.reduce((sum, { judgement }) => sum + pick(judgement), 0);
	return {
		balancedAccuracy: balancedAccuracy(ratings),
		kappa: weightedKappa(ratings),
		order: compareOrders(works),
		quotes: { claimed: total(({ quotes }) => quotes.claimed), real: total(({ quotes }) => quotes.real) },
		noise: noiseOf(repeated),
	};
}
