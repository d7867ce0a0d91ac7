// Formats the result of a probe: whether the configured models can judge, and what their servers accept.
import { isFit, type ModelTest } from "../../src/core/judging/engine/model-tests.ts";
import type { ProbeVerdict } from "../../src/core/judging/engine/probe-record.ts";

const LIMIT_FIELDS = {
	both: "max_completion_tokens and max_tokens",
	max_tokens: "max_tokens",
	max_completion_tokens: "max_completion_tokens",
} as const;

export function formatProbes(tests: readonly ModelTest[]): string {
	return tests
		.map((test) => {
			const { model, roles, form, room, fault, calls } = test;
			const [input, output] = (["inputTokens", "outputTokens"] as const).map((name) => calls.reduce((sum, call) => sum + call[name], 0));
			const size = room === null ? "" : `, ${room} characters of task and files`;
			return [
				model,
				...roles.map(({ role, verdict }) => `  ${role}: ${describeVerdict(verdict)}`),
				`  accepts: ${form.format}, ${LIMIT_FIELDS[form.limit]}, ${form.isStreamed ? "streams" : "no streams"}${size}`,
				`  used: ${calls.length} calls, ${input} tokens in, ${output} tokens out`,
				...(fault === null ? [] : [`  failed: ${[fault.message, fault.supplierWords ?? ""].join(" ").trim()}`]),
				isFit(test) ? "  Fit to judge." : "  Not fit to judge.",
			].join("\n");
		})
		.join("\n\n");
}

function describeVerdict(verdict: ProbeVerdict | null): string {
	if (verdict === null) return "no verdict, because calls failed";
	const percent = (share: number) => `${Math.round(100 * share)} %`;
	const quotes = verdict.realQuotes === null ? "" : `, ${percent(verdict.realQuotes)} of quotes real`;
	const reason = verdict.reason === "" ? "" : ` (${verdict.reason})`;
	return `${percent(verdict.accuracy)} of answers right${quotes}${reason}`;
}
