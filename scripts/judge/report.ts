// Writes a judgement as text for a terminal.
import type { judgeRubric } from "../../src/features/judging/model/rubric.ts";
import { spreadOf } from "./spread.ts";

type Judgement = Awaited<ReturnType<typeof judgeRubric>>;

export function formatReport(judgement: Judgement, title: string): string {
	const { breakdown, dimensions, llmScore } = judgement;
	const asked = judgement.models.length === 0 ? "" : `, models ${judgement.models.join(", ")}`;
	return [
		`${title}: judged by the ${judgement.judge} judge${asked}, prompt ${judgement.promptVersion}`,
		"",
		...dimensions.flatMap((dimension) => [...formatDimension(dimension, breakdown), ""]),
		`${formatScore(llmScore)}  in all, by the weights`,
		...formatSpread(judgement),
		"",
		...formatReading(breakdown),
		formatUsage(breakdown.usage),
	].join("\n");
}

function formatSpread(judgement: Judgement): string[] {
	const spread = spreadOf(judgement);
	return spread === null ? [] : [`${formatScore(spread)}  spread: the standard deviation of a score with one sample per criterion`];
}

function formatScore(score: number): string {
	return score.toFixed(2).padStart(6);
}

function formatDimension(
	{ criterion, weight, score, reasoning }: Judgement["dimensions"][number],
	breakdown: Judgement["breakdown"],
): string[] {
	const samples = breakdown.samples[criterion] ?? [];
	const scores = samples.length > 1 ? `, median of ${samples.map((sample) => sample.score).join(", ")}` : "";
	const capped = samples.some((sample) => sample.capped_for_lack_of_evidence) ? ["Capped: praise without a quote from the files."] : [];
	const suspected = breakdown.injection_suspected.includes(criterion) ? ["Something in the submission tries to influence the judge."] : [];
	const quotes = (breakdown.evidence[criterion] ?? []).map(({ path, start, end, quote }) => {
		return `${path}:${start === end ? start : `${start}-${end}`}  ${quote.split(/\s+/).join(" ")}`;
	});
	const details = [reasoning, ...capped, ...suspected, ...quotes].map((line) => `        ${line}`);
	return [`${formatScore(score)}  ${criterion} (weight ${weight}${scores})`, ...details];
}

function formatReading({ files_read, files_not_read, files_cut, invisible_characters_removed }: Judgement["breakdown"]): string[] {
	return [
		`Files read: ${files_read}.`,
		...files_not_read.map((path) => `Not read: ${path}`),
		...files_cut.map(({ path, lines_read, lines }) => `Read in part: ${path}, ${lines_read} of ${lines} lines`),
		...(invisible_characters_removed === 0 ? [] : [`Invisible characters taken out: ${invisible_characters_removed}.`]),
	];
}

function formatUsage({ calls, input_tokens, output_tokens, cost_usd }: Judgement["breakdown"]["usage"]): string {
	if (calls === 0) return "No model was asked.";
	const cost = cost_usd === null ? "" : `, ${cost_usd.toFixed(4)} USD`;
	return `Requests to models: ${calls}, ${input_tokens} tokens in, ${output_tokens} out${cost}.`;
}
