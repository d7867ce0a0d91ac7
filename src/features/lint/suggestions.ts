// Rewritten criteria from the judge's model. A convenience: if anything goes wrong, the lint does without them.
import * as z from "zod";
import { sumUsage } from "../../domain/usage.ts";
import { SECOND_MS } from "../../platform/clock.ts";
import { describeError } from "../../platform/log.ts";
import type { Ctx } from "../../ports/deps.ts";
import type { JudgedTask, RewriteRequest, Rewriter, RubricRewrite } from "../../ports/judge.ts";
import { MAX_REWRITE_LENGTH } from "../judging/rewriting.ts";
import { createUsageMeter } from "../judging/usage-meter.ts";
import { recordSpare, reserveSpare } from "../spend/service.ts";
import { type LintFinding, lintSuggestion } from "./schemas.ts";
import { lintRubric } from "./service.ts";
import type { LintedCriterion } from "./text.ts";

/** The poster waits for the response. */
const REWRITE_TIMEOUT_MS = 15 * SECOND_MS;
/** As many as one call can rewrite. */
const MAX_REWRITTEN = 10;
const MAX_PER_CRITERION = 3;
const KEPT_SECONDS = 86_400;

interface LintedTask extends JudgedTask {
	readonly id: string;
	readonly companyId: string;
}

interface Linted {
	readonly task: LintedTask;
	readonly criteria: readonly LintedCriterion[];
	readonly findings: readonly LintFinding[];
}

/**
 * Better descriptions for the criteria with findings that words can mend; a weight cannot be. Costs one call to a model, reserved
 * below the spending ceilings, or none when the same rubric was rewritten before in this data centre.
 *
 * @returns Null if no model is configured, if a ceiling leaves nothing for the call, or if the model gave nothing usable in time.
 */
export async function suggestRewrites(ctx: Ctx, { task, criteria, findings }: Linted): Promise<RubricRewrite[] | null> {
	const rewriter = ctx.judge?.rewriter;
	if (rewriter === undefined) return null;
	const wanted = criteria.flatMap((criterion) => {
		const faults = findings.filter(({ criterion: name, code }) => name === criterion.name && code !== "TINY_WEIGHT");
		return faults.length === 0 ? [] : [{ ...criterion, faults: faults.map(({ message }) => message) }];
	});
	if (wanted.length === 0) return [];
	const request = { task, criteria: wanted.slice(0, MAX_REWRITTEN) };
	try {
		const key = `${ctx.baseUrl}/lint-suggestions/${await rewriter.digest(request)}`;
		const known = await findKept(ctx, key);
		if (known !== null) return known;
		const rewrites = await askWithin(ctx, rewriter, { task, request });
		if (rewrites === null) return null;
		const better = keepBetter(rewrites, criteria);
		await ctx.edgeCache.put(key, Response.json(better, { headers: { "Cache-Control": `max-age=${KEPT_SECONDS}` } }));
		return better;
	} catch (error) {
		ctx.log.error("lint_without_suggestions", { task_id: task.id, ...describeError(error) });
		return null;
	}
}

const kept = z.array(lintSuggestion.extend({ description: z.string().max(MAX_REWRITE_LENGTH) }));

async function findKept({ edgeCache }: Ctx, key: string): Promise<RubricRewrite[] | null> {
	const response = await edgeCache.match(key);
	return response === undefined ? null : (kept.safeParse(await response.json()).data ?? null);
}

interface Asked {
	readonly task: LintedTask;
	readonly request: RewriteRequest;
}

/** @throws EvaluationFault of the model's endpoint. */
async function askWithin(ctx: Ctx, rewriter: Rewriter, { task, request }: Asked): Promise<RubricRewrite[] | null> {
	// Not the caller's IP address but the agent: a lint is cheap, a rewrite is paid for.
	if (!(await ctx.limits.submission.limit({ key: `lint:${ctx.actor.agentId}` })).success) return null;
	const estimate = rewriter.estimate(request);
	const reservation = await reserveSpare(ctx, task, estimate);
	if (reservation === null) return null;
	const meter = createUsageMeter();
	const signal = AbortSignal.timeout(REWRITE_TIMEOUT_MS);
	try {
		return await rewriter.rewrite(request, { signal, onCall: (call) => meter.add(call) });
	} catch (error) {
		// The provider may bill a reply that came too late.
		if (signal.aborted)
			meter.add({ model: rewriter.model, inputTokens: estimate.tokens, outputTokens: 0, costMicroUsd: estimate.costMicroUsd });
		throw error;
	} finally {
		// Until then the reservation holds, so the ceilings do too.
		ctx.background(recordSpare(ctx, task, { reservation, used: sumUsage(meter.byModel()) }));
	}
}

/** Drops what repeats the criterion, what the lint rejects itself, and more than three for one criterion. */
function keepBetter(rewrites: readonly RubricRewrite[], criteria: readonly LintedCriterion[]): RubricRewrite[] {
	const counts = new Map<string, number>();
	return rewrites.filter(({ criterion: name, description }) => {
		const original = criteria.find((criterion) => criterion.name === name);
		if (original === undefined || original.description === description) return false;
		if (lintRubric([{ ...original, description }]).some(({ severity }) => severity === "error")) return false;
		counts.set(name, (counts.get(name) ?? 0) + 1);
		return (counts.get(name) ?? 0) <= MAX_PER_CRITERION;
	});
}
