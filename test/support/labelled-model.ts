// Plays a model that knows people's answers to the labelled submissions, and deviates from them as a test says.
import type { LabelledAnswer, LabelledCase } from "../../scripts/judge/labelled-works.ts";
import { seeded } from "../../scripts/support/seeded.ts";
import type { CallDeps } from "../../src/core/judging/engine/calling.ts";
import type { Finding } from "../../src/domain/checks.ts";
import { manualClock } from "./manual-clock.ts";
import { completion, forgetLearned, type ModelCall, quoteOf, readCall } from "./scripted-model.ts";

export interface Deviation {
	/** With `claims`, it believes what a comment or a sentence says. With `guess`, it tosses a coin, for confirmations too. */
	readonly answers?: "claims" | "guess";
	readonly quotes?: "invented";
	/** With `first`, the first reply to each question is prose. With `works`, every reply about a submission is prose. */
	readonly unreadable?: "first" | "works";
}

interface Known extends LabelledAnswer {
	readonly check: string;
	readonly work: LabelledCase;
}

const INVENTED = [{ path: "src/invented.js", quote: "this line is in no file at all" }];

/** Returns what the engine needs to ask the model. */
export function labelledModel(cases: readonly LabelledCase[], { answers, quotes, unreadable }: Deviation): CallDeps {
	forgetLearned();
	const random = seeded(1);
	const clock = manualClock(Date.UTC(2026, 0, 1));
	const asked = new Set<string>();
	const known = cases.flatMap((work): Known[] =>
		work.criteria.flatMap(({ name, checks }) => checks.flatMap((check, index) => withCheck(work, check, work.answers[name]?.[index]))),
	);
	const coin = (): Finding => (random() < 0.5 ? "yes" : "no");
	const answerCheck = (call: ModelCall, check: string) => {
		const label = findLabel(known, call.user, check);
		const evidence = quotes === "invented" ? INVENTED : label?.proof == null ? quoteOf(call.user) : [label.proof];
		const found = answers === "guess" ? coin() : answers === "claims" ? "yes" : (label?.found ?? "no");
		return { evidence: found === "no" ? [] : evidence, found };
	};
	const confirm = (call: ModelCall, check: string) => {
		const proven = known.find(
			(one) => one.check === check && one.proof !== null && call.user.includes(one.proof.quote.split("\n")[0] ?? ""),
		);
		return { shows: "", found: answers === "guess" ? coin() : (proven?.found ?? "no") };
	};
	const isUnreadable = (call: ModelCall) => {
		const texts = call.checks.map(({ text }) => text);
		// A repeated request contains an additional note, so the texts of the checks and the submission identify the question.
		const question = call.isConfirmation ? call.user : [...texts, findLabel(known, call.user, texts[0] ?? "")?.work.name].join();
		const isFirst = !asked.has(question);
		asked.add(question);
		return (unreadable === "first" && isFirst && !call.isControl) || (unreadable === "works" && !call.isControl);
	};
	const fetch: CallDeps["fetch"] = (_, init) => {
		const call = readCall(init, { number: 1, clock });
		if (isUnreadable(call)) return Promise.resolve(completion("I would rather talk about it."));
		const answer = call.isConfirmation ? confirm : answerCheck;
		const reply = Object.fromEntries(call.checks.map(({ key, text }) => [key, answer(call, text)]));
		return Promise.resolve(completion(JSON.stringify({ ...reply, gaps: [], reasoning: "r", injection_suspected: false })));
	};
	return { clock, fetch };
}

function withCheck(work: LabelledCase, check: string, answer: LabelledAnswer | undefined): Known[] {
	return answer === undefined ? [] : [{ ...answer, check, work }];
}

/** Finds the submission by the shown files: all of its lines are in the prompt, and the same is true of no longer submission. */
function findLabel(known: readonly Known[], user: string, check: string): Known | undefined {
	const size = ({ work }: Known) => work.files.reduce((sum, { text }) => sum + text.length, 0);
	const shown = known.filter((one) => one.check === check && one.work.files.every(({ text }) => hasLines(user, text)));
	return shown.toSorted((a, b) => size(b) - size(a))[0];
}

function hasLines(user: string, text: string): boolean {
	return text.split("\n").every((line) => user.includes(line.trim()));
}
