// Finds out whether the configured models can judge, and what their servers take.
import type { CallDeps } from "../../src/features/judging/engine/calling.ts";
import { type EngineSettings, openContext, WaitError } from "../../src/features/judging/engine/context.ts";
import { formOf } from "../../src/features/judging/engine/learning.ts";
import { type ProbeRole, type ProbeTally, type ProbeVerdict, probeOnce, verdictOf } from "../../src/features/judging/engine/probe.ts";
import type { WireForm } from "../../src/features/judging/engine/wire.ts";

/** The first verdict needs this many. */
const PROBES = 3;
const ROLES: readonly ProbeRole[] = ["judge", "confirmer"];

export interface ProbeReport {
	readonly model: string;
	readonly verdicts: readonly { readonly role: ProbeRole; readonly verdict: ProbeVerdict | null }[];
	/** The server takes requests of this form. */
	readonly form: WireForm;
	/** If calls have failed, it says how, with the supplier's own words. */
	readonly fault: string | null;
	readonly calls: number;
	readonly inputTokens: number;
	readonly outputTokens: number;
}

/** Probes a model as a judge and as a confirmer. Failed calls do not lead to a verdict. */
export async function probeModel(deps: CallDeps, configured: EngineSettings, model: string): Promise<ProbeReport> {
	const settings: EngineSettings = { ...configured, models: [model] };
	const used = { calls: 0, inputTokens: 0, outputTokens: 0 };
	const watch = {
		requestId: null,
		onCall({ inputTokens, outputTokens }: { readonly inputTokens: number; readonly outputTokens: number }) {
			used.calls += 1;
			used.inputTokens += inputTokens;
			used.outputTokens += outputTokens;
		},
	};
	const verdicts: { role: ProbeRole; verdict: ProbeVerdict | null }[] = [];
	let fault: string | null = null;
	for (const role of ROLES) {
		const tallies: ProbeTally[] = [];
		for (let probe = 0; probe < PROBES && fault === null; probe += 1) {
			const context = openContext(deps, settings, watch);
			try {
				tallies.push(await probeOnce(context, { model, role }));
			} catch (error) {
				if (!(error instanceof WaitError)) throw error;
				fault = [error.message, error.wait.supplierWords ?? ""].join(" ").trim();
			} finally {
				context.end();
			}
		}
		verdicts.push({ role, verdict: verdictOf(role, { tallies }) });
	}
	return { model, verdicts, form: formOf(model, settings, deps.clock.now()), fault, ...used };
}

/** Returns true if a model may judge and confirm. */
export function isFit({ verdicts }: Pick<ProbeReport, "verdicts">): boolean {
	return verdicts.every(({ verdict }) => verdict?.isFit === true);
}

const LIMIT_FIELDS = {
	both: "max_completion_tokens and max_tokens",
	max_tokens: "max_tokens",
	max_completion_tokens: "max_completion_tokens",
} as const;

export function formatProbes(reports: readonly ProbeReport[]): string {
	return reports
		.map((report) => {
			const { model, verdicts, form, fault, calls, inputTokens, outputTokens } = report;
			return [
				model,
				...verdicts.map(({ role, verdict }) => `  ${role}: ${describeVerdict(verdict)}`),
				`  takes: ${form.format}, ${LIMIT_FIELDS[form.limit]}, ${form.isStreamed ? "streams" : "no streams"}`,
				`  used: ${calls} calls, ${inputTokens} tokens in, ${outputTokens} tokens out`,
				...(fault === null ? [] : [`  failed: ${fault}`]),
				isFit(report) ? "  Fit to judge." : "  Not fit to judge.",
			].join("\n");
		})
		.join("\n\n");
}

function describeVerdict(verdict: ProbeVerdict | null): string {
	if (verdict === null) return "no verdict, because calls failed";
	const percent = (share: number) => `${Math.round(100 * share)} %`;
	const quotes = verdict.realQuotes === null ? "" : `, ${percent(verdict.realQuotes)} of quotes real`;
	return `${percent(verdict.accuracy)} of answers right${quotes}`;
}
