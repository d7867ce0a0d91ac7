// The judge that asks language models.
import type { ModelJudgeSettings, SampleStep } from "../../config/judge-settings.ts";
import { EvaluationFault } from "../../domain/evaluation-fault.ts";
import { median } from "../../domain/scores.ts";
import { randomHex } from "../../platform/crypto.ts";
import type { Judge, JudgeRequest, JudgeWatch, Verdict } from "../../ports/judge.ts";
import { capUnproven, lacksProof, type Opinion, parseAnswer, scoreOf } from "./answer.ts";
import { type Chat, type ChatDeps, createChat } from "./chat.ts";
import { ContextOverflowError } from "./chat-faults.ts";
import { createLimiter, type Limiter } from "./limiter.ts";
import { buildPrompt, PROMPT_VERSION, type Prompt } from "./prompt.ts";

const MARK_BYTES = 4;
/** How often a model is asked for one opinion before its replies count as broken. */
const MAX_ASKS = 3;
/** Times that a call which did not fit is shortened by half. */
const MAX_SHORTENINGS = 4;

const SCHEMA_NOTE = "Your previous reply was not the requested JSON object. Reply with that object only.";
const PROOF_NOTE =
	"Your previous reply gave a high level, but none of its quotes is in the file it named. Copy each quote exactly from the lines above, without the marks, with the path as the manifest spells it, or give the level that the files support.";

/**
 * Judges with language models over the chat-completions protocol: each criterion in calls of its own, several times where
 * the budget warrants it, with every claim of a model checked. Make one for each evaluation: it bounds that evaluation's calls.
 */
export function createModelJudge(deps: ChatDeps, settings: ModelJudgeSettings): Judge {
	const limit = createLimiter(settings.parallelCalls);
	const chat = createChat(deps, settings);
	return {
		name: "openai",
		models: settings.models,
		promptVersion: PROMPT_VERSION,
		judgeCriterion: (request, watch = {}) => judgeBySamples({ request, watch, settings, limit, chat }),
	};
}

interface Session {
	readonly request: JudgeRequest;
	readonly watch: JudgeWatch;
	readonly settings: ModelJudgeSettings;
	readonly limit: Limiter;
	readonly chat: Chat;
}

/** How many opinions a criterion of a task with this budget gets. */
export function samplesFor(budgetCents: number, steps: readonly SampleStep[]): number {
	return steps.findLast(({ fromBudgetCents }) => budgetCents >= fromBudgetCents)?.samples ?? 1;
}

/** The verdict of the sample nearest to the median of all; its score is that median. */
async function judgeBySamples(session: Session): Promise<Verdict> {
	const { models, sampleSteps } = session.settings;
	const wanted = samplesFor(session.request.task.budgetCents, sampleSteps);
	const chosen = Array.from({ length: wanted }, (_, index) => models[index % models.length] ?? "");
	const samples = await Promise.all(chosen.map(async (model) => ({ model, ...(await askForOpinion(session, model)) })));
	const score = median(samples.map(({ opinion }) => scoreOf(opinion))) ?? 0;
	const distance = ({ opinion }: (typeof samples)[number]) => Math.abs(scoreOf(opinion) - score);
	const [typical] = samples.toSorted((a, b) => distance(a) - distance(b));
	if (typical === undefined) throw new Error("No sample was asked for.");
	return {
		score,
		reasoning: typical.opinion.reasoning,
		evidence: typical.opinion.evidence,
		samples: samples.map(({ model, opinion }) => ({
			model,
			level: opinion.level,
			score: scoreOf(opinion),
			isInjectionSuspected: opinion.isInjectionSuspected,
			isCapped: opinion.isCapped,
		})),
		cutFiles: typical.prompt.cutFiles,
		strippedCharacters: typical.prompt.strippedCharacters,
	};
}

interface Answered {
	readonly opinion: Opinion;
	readonly prompt: Prompt;
}

/** A high opinion that shows nothing for itself is asked for once more, and then capped. */
async function askForOpinion(session: Session, model: string): Promise<Answered> {
	const first = await askUntilValid(session, model);
	if (!lacksProof(first.opinion)) return first;
	const second = await askUntilValid(session, model, PROOF_NOTE);
	return { ...second, opinion: capUnproven(second.opinion) };
}

async function askUntilValid(session: Session, model: string, firstNote?: string): Promise<Answered> {
	let note = firstNote;
	for (let ask = 1; ask <= MAX_ASKS; ask += 1) {
		const { opinion, prompt } = await askOnce(session, model, note);
		if (opinion !== null) return { opinion, prompt };
		note = SCHEMA_NOTE;
	}
	throw new EvaluationFault(`The judge's model ${model} gave no readable reply in ${MAX_ASKS} attempts.`, {
		blame: "platform",
		isRetryable: true,
	});
}

/** One call, with a mark of its own; shortened and repeated when it is too long for the model. */
async function askOnce(session: Session, model: string, note: string | undefined) {
	const { request, watch, settings } = session;
	let maxCharacters = settings.maxInputCharacters;
	for (let shortening = 0; ; shortening += 1) {
		const mark = randomHex(MARK_BYTES);
		try {
			return await session.limit(async () => {
				watch.signal?.throwIfAborted();
				// Built inside the limit, so that only the prompts of running calls take memory.
				const prompt = buildPrompt({ request, mark, maxCharacters, ...(note === undefined ? {} : { note }) });
				const { system, user } = prompt;
				const { text, call } = await session.chat.complete({ model, system, user, signal: watch.signal });
				watch.onCall?.(call);
				return { opinion: parseAnswer(text, { mark, files: prompt.files }), prompt };
			});
		} catch (error) {
			if (!(error instanceof ContextOverflowError)) throw error;
			if (shortening === MAX_SHORTENINGS) throw tooLong(model, error);
			maxCharacters /= 2;
		}
	}
}

function tooLong(model: string, cause: unknown): EvaluationFault {
	const message = `The task and the submission are too long for the judge's model ${model}, even shortened.`;
	return new EvaluationFault(message, { blame: "platform", isRetryable: false, cause });
}
