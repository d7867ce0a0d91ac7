// The judge that uses language models.
import * as z from "zod";
import { readModel } from "../../../config/judge-suppliers.ts";
import { CHECKS_BOUNDS } from "../../../domain/checks.ts";
import type { CallWatch, CheckProposal, CriterionBrief, Judge, ProposalRequest } from "../../../ports/judge.ts";
import { type CallDeps, temperatureFor } from "./calling.ts";
import { type CallingContext, type EngineSettings, openContext } from "./context.ts";
import { estimateEvaluation } from "./estimate.ts";
import { evaluateByModels } from "./evaluating.ts";
import { cleanLine, cleanText } from "./marking.ts";
import type { Prober } from "./probe.ts";
import { describeTask, PROMPT_VERSION, type Prompt } from "./prompts.ts";
import { readObject } from "./replies.ts";
import { type Question, sendQuestion } from "./sending.ts";
import { WaitError } from "./waits.ts";

/** @param prober Probes models before they may judge. Null skips the probe. */
export function createModelJudge(deps: CallDeps, settings: EngineSettings, prober: Prober | null = null): Judge {
	return {
		name: "openai",
		models: settings.models,
		confirmer: confirmerOf(settings),
		promptVersion: [PROMPT_VERSION, settings.checksPerCall, ...(settings.isConfirming ? [] : ["unconfirmed"])].join("/"),
		temperature: settings.models.some((model) => temperatureFor(readModel(model), settings) !== null) ? settings.temperature : null,
		estimate: (request, kept) => estimateEvaluation(settings, request, kept),
		evaluate: (request, attempt) => evaluateByModels(deps, settings, { request, attempt, prober }),
		proposeChecks: (request) => askOutside(deps, settings, { watch: request, question: proposalQuestion(settings, request) }),
		async findWholeChecks(criteria, watch) {
			const none = criteria.map((): number[] => []);
			if (!settings.isConfirming) return none;
			return (await askOutside(deps, settings, { watch, question: wholeQuestion(settings, criteria) })) ?? none;
		},
	};
}

function confirmerOf({ isConfirming, confirmModel, models: [first, ...others] }: EngineSettings): string | null {
	if (!isConfirming) return null;
	return confirmModel ?? (others.length === 0 ? (first ?? null) : null);
}

/** Asks a question once, outside of an evaluation. Returns null after a failure, because callers have a fallback. */
async function askOutside<Answer>(
	deps: CallDeps,
	settings: EngineSettings,
	{ watch, question }: { readonly watch: CallWatch; readonly question: Question<Answer> },
): Promise<Answer | null> {
	const context: CallingContext = openContext(deps, settings, watch);
	try {
		const sentAt = deps.clock.now();
		const { outcome } = await context.runAtGate(question.model, () => sendQuestion(context, question, { patience: 1, isControl: false }));
		const answer = outcome.kind === "reply" && outcome.reply.ending !== "withheld" ? question.read(outcome.reply.text) : null;
		if (answer !== null) context.noteAnswer(question.model, sentAt);
		return answer;
	} catch (error) {
		if (error instanceof WaitError) return null;
		throw error;
	} finally {
		context.end();
	}
}

const MAX_PROPOSED_CHECKS = 20;
const MAX_NOTES = 8;
const MAX_NOTE_LENGTH = 300;

const PROPOSAL_RULES = `You prepare one criterion of a rubric, by which a judge will check files that it can read and not run.

- "checks": 2 to ${CHECKS_BOUNDS.perCriterion} sentences of at most ${CHECKS_BOUNDS.characters} characters. Each names one thing that can be answered yes, partly or no from the files, such as "\`parse\` handles quoted fields" or "A test covers an empty file". A matter of degree becomes several checks. No praise such as good or clean, no reference to other criteria, nothing that the criterion and the task do not ask for.
- "notes": short sentences about what a judge of files could not see or would have to guess, such as "It cannot run the page, so 'fast' needs a number in a file". An empty list if there is nothing.

Write in the language of the criterion. Reply with one JSON object {"checks": [...], "notes": [...]} and nothing around it.`;

const texts = (maxItems: number, maxLength: number) => ({ type: "array", maxItems, items: { type: "string", maxLength } });

const PROPOSAL_FORMAT = {
	name: "proposal",
	schema: {
		type: "object",
		properties: { checks: texts(CHECKS_BOUNDS.perCriterion, CHECKS_BOUNDS.characters), notes: texts(MAX_NOTES, MAX_NOTE_LENGTH) },
		required: ["checks", "notes"],
		additionalProperties: false,
	},
} as const;

const looseTexts = z.array(z.unknown()).catch([]);
const proposal = z.object({ checks: z.array(z.string()).max(MAX_PROPOSED_CHECKS), notes: looseTexts });

/** The call contains no submission, so the question is its own control. */
function questionOf<Answer>(
	model: string,
	{ prompt, ...rest }: Pick<Question<Answer>, "format" | "read"> & { readonly prompt: Prompt },
): Question<Answer> {
	return { form: "checks", model, write: () => prompt, writeControl: () => prompt, ...rest };
}

function proposalQuestion({ models }: EngineSettings, { task, criterion }: ProposalRequest): Question<CheckProposal> {
	const criterionTexts = [`# CRITERION\n${cleanLine(criterion.name, 1_000)}`, cleanText(criterion.description ?? "").text];
	const user = [describeTask(task), ...criterionTexts].filter((part) => part !== "").join("\n\n");
	return questionOf(models[0] ?? "", {
		format: PROPOSAL_FORMAT,
		prompt: { system: PROPOSAL_RULES, user, sharedCharacters: 0 },
		read(text) {
			const parsed = proposal.safeParse(readObject(text));
			if (!parsed.success) return null;
			const notes = parsed.data.notes.flatMap((note) =>
				typeof note === "string" && note.trim() !== "" ? [cleanLine(note, MAX_NOTE_LENGTH - 1)] : [],
			);
			return { checks: parsed.data.checks.map((check) => cleanText(check).text), notes: notes.slice(0, MAX_NOTES) };
		},
	});
}

const WHOLE_RULES = `You get the checks of a rubric, numbered. A judge answers each from the files of a submission, and normally shows its answer with a few lines. Name the checks that no few lines can ever show: that something is absent, that every or all of something is so, or how files relate to each other. Most checks are not among them.

Reply with one JSON object {"whole_checks": [...]} with their numbers, and nothing around it.`;

/** Asks about the texts of all checks at once. The model sees no submission, so the answer is the same for all submissions. */
function wholeQuestion({ models }: EngineSettings, criteria: readonly CriterionBrief[]): Question<number[][]> {
	const numbered = criteria.flatMap(({ name, checks }, criterion) =>
		checks.map((check, position) => ({ name, check, criterion, position })),
	);
	const user = numbered.map(({ name, check }, index) => `${index + 1}. ${cleanLine(name, 200)}: ${cleanLine(check, 1_000)}`).join("\n");
	const numbers = { type: "array", maxItems: numbered.length, items: { type: "integer" } };
	const schema = { type: "object", properties: { whole_checks: numbers }, required: ["whole_checks"], additionalProperties: false };
	return questionOf(models[0] ?? "", {
		format: { name: "whole_checks", schema },
		prompt: { system: WHOLE_RULES, user, sharedCharacters: 0 },
		read(text) {
			const named = readObject(text)?.["whole_checks"];
			if (!Array.isArray(named)) return null;
			return criteria.map((_, criterion) =>
				numbered.flatMap((one, index) => (one.criterion === criterion && named.includes(index + 1) ? [one.position] : [])),
			);
		},
	});
}
