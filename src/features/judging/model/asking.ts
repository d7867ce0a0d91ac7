// Asks a model until its reply can be read. When none can, a control prompt finds out whose fault that is.
import * as z from "zod";
import type { ModelJudgeSettings } from "../../../config/judge-settings.ts";
import { EvaluationFault } from "../../../domain/evaluation-fault.ts";
import type { CriterionNotes, CutFile, JudgeRequest, JudgeSession, JudgeWatch, LineRange } from "../../../ports/judge.ts";
import { ANSWER_FORMAT, type Answer, answerSchema, parseAnswer } from "./answer.ts";
import type { Chat, ChatEnding } from "./chat.ts";
import { ContextOverflowError } from "./chat-faults.ts";
import { controlRequest } from "./control.ts";
import { findSuspiciousLines } from "./injections.ts";
import type { Limiter } from "./limiter.ts";
import { type ShownFile, toLineSet } from "./material.ts";
import { buildPrompt, type Prompt } from "./prompt.ts";
import type { FirstAlone } from "./session.ts";

/** Unreadable replies about one criterion before the control prompt, over all attempts at a job. */
const MAX_ASKS = 3;
/** How often a call that did not fit is shortened by half. */
const MAX_SHORTENINGS = 4;

const SCHEMA_NOTE = "Your previous reply was not the requested JSON object. Reply with that object only.";

/** What all calls of an evaluation to this judge share. */
export interface Shared {
	readonly firstAlone: FirstAlone;
	/** The input limits that models were found to have, where these are below the configured one. In characters. */
	readonly limits: Map<string, number>;
}

/** The judgement of one criterion. */
export interface Asking {
	readonly request: JudgeRequest;
	readonly watch: JudgeWatch;
	readonly session: JudgeSession;
	readonly settings: ModelJudgeSettings;
	readonly limit: Limiter;
	readonly chat: Chat;
	readonly shared: Shared;
	/** By model: whether it answers the control prompt. Asked once for each attempt. */
	readonly controls: Map<string, Promise<boolean>>;
}

export interface Question {
	/** Names the reply in the notes. */
	readonly key: string;
	readonly model: string;
	/** Lines that are not shown. */
	readonly hidden: readonly LineRange[];
	/** What was wrong with the previous reply. */
	readonly note?: string;
}

export interface Answered {
	readonly answer: Answer;
	readonly shown: readonly ShownFile[];
	readonly cutFiles: readonly CutFile[];
	readonly strippedCharacters: number;
	/** Lines that were not shown. */
	readonly hidden: readonly LineRange[];
}

const keptAnswer = z.object({
	answer: answerSchema,
	maxCharacters: z.number(),
	hidden: z.array(z.object({ path: z.string(), start: z.number(), end: z.number() })),
});

/**
 * Asks a question, unless an earlier attempt has the reply already.
 *
 * @throws EvaluationFault that blames the submission when the model leaves it unanswered and answers the control prompt.
 */
export async function ask(asking: Asking, question: Question): Promise<Answered> {
	const notes = asking.session.notesOf(asking.request.criterion.name);
	const kept = keptAnswer.safeParse(notes.answers[question.key]);
	if (kept.success) return present(asking, kept.data);
	await assertExcuseEnded(asking, question.model);
	let { hidden, note } = question;
	let ending: ChatEnding = "unreadable";
	while (notes.unanswered < MAX_ASKS) {
		const reply = await callShortened(asking, { model: question.model, hidden, notes, ...(note === undefined ? {} : { note }) });
		// Other samples have used up the calls.
		if (reply === null) break;
		if (reply.answer !== null) {
			notes.answers[question.key] = { answer: reply.answer, maxCharacters: reply.maxCharacters, hidden };
			return toAnswered(reply.answer, reply.prompt, hidden);
		}
		ending = reply.ending;
		// A silent model may have been told to be silent, so it does not see such lines again.
		hidden = [...question.hidden, ...findSuspiciousLines(reply.prompt.shown)];
		if (ending !== "refused" && ending !== "filtered") note = SCHEMA_NOTE;
	}
	throw await explainSilence(asking, question.model, ending);
}

function present({ request, session }: Asking, { answer, maxCharacters, hidden }: z.output<typeof keptAnswer>): Answered {
	const prompt = buildPrompt({ request, mark: session.mark, maxCharacters, hidden: toLineSet(hidden) });
	return toAnswered(answer, prompt, hidden);
}

function toAnswered(answer: Answer, { shown, cutFiles, strippedCharacters }: Prompt, hidden: readonly LineRange[]): Answered {
	return { answer, shown, cutFiles, strippedCharacters, hidden };
}

/** A model that was silent about harmless files must reply to those before it is asked about the submission again. */
async function assertExcuseEnded(asking: Asking, model: string): Promise<void> {
	const notes = asking.session.notesOf(asking.request.criterion.name);
	if (!notes.isExcused) return;
	if (!(await answersControl(asking, model))) throw platformSilence(model);
	notes.isExcused = false;
	notes.unanswered = 0;
}

function platformSilence(model: string): EvaluationFault {
	return new EvaluationFault(`The judge's model ${model} gave no readable reply in ${MAX_ASKS} attempts.`, {
		blame: "platform",
		isRetryable: true,
	});
}

const SILENCES: Readonly<Record<ChatEnding, string>> = {
	complete: "gave no readable reply",
	cut_off: "gave no readable reply",
	unreadable: "gave no readable reply",
	refused: "refused to reply",
	filtered: "gave no reply, because its provider's content filter withheld it,",
};

async function explainSilence(asking: Asking, model: string, ending: ChatEnding): Promise<EvaluationFault> {
	const notes = asking.session.notesOf(asking.request.criterion.name);
	if (!(await answersControl(asking, model))) {
		notes.isExcused = true;
		return platformSilence(model);
	}
	const message = `The judge's model ${SILENCES[ending]} in ${MAX_ASKS} attempts on the criterion ${JSON.stringify(asking.request.criterion.name)}, and replied to the same question about other files. Something in your files keeps it from replying. Remove text that addresses the judge or that a content filter may reject, and submit again.`;
	return new EvaluationFault(message, { blame: "submission", isRetryable: false });
}

function answersControl(asking: Asking, model: string): Promise<boolean> {
	const known = asking.controls.get(model);
	if (known !== undefined) return known;
	const control = call(
		{ ...asking, request: controlRequest(asking.request) },
		{ model, hidden: [], notes: null },
		asking.settings.maxInputCharacters,
	).then(
		(reply) => reply !== null && reply.answer !== null,
		(error: unknown) => {
			if (error instanceof ContextOverflowError) return false;
			throw error;
		},
	);
	asking.controls.set(model, control);
	return control;
}

interface Call extends Omit<Question, "key"> {
	/** Where unreadable replies are counted; null for the control prompt. */
	readonly notes: CriterionNotes | null;
}

interface Reply {
	/** Null when it cannot be read. */
	readonly answer: Answer | null;
	readonly ending: ChatEnding;
	readonly prompt: Prompt;
	readonly maxCharacters: number;
}

/** One call, shortened and repeated when it is too long for the model. */
async function callShortened(asking: Asking, question: Call): Promise<Reply | null> {
	const { settings, shared } = asking;
	const { model } = question;
	const limit = () => shared.limits.get(model) ?? settings.maxInputCharacters;
	return shared.firstAlone(model, async () => {
		for (;;) {
			const maxCharacters = limit();
			try {
				return await call(asking, question, maxCharacters);
			} catch (error) {
				if (!(error instanceof ContextOverflowError)) throw error;
				if (maxCharacters / 2 < settings.maxInputCharacters / 2 ** MAX_SHORTENINGS) throw tooLong(model, error);
				// Parallel calls may all find out that they are too long.
				shared.limits.set(model, Math.min(limit(), maxCharacters / 2));
			}
		}
	});
}

async function call({ request, watch, session, limit, chat }: Asking, question: Call, maxCharacters: number): Promise<Reply | null> {
	const { model, hidden, note, notes } = question;
	const { mark } = session;
	const { withinReserve = (paid) => paid() } = watch;
	const paid = async () => {
		watch.signal?.throwIfAborted();
		session.assertGoing();
		if (notes !== null && notes.unanswered >= MAX_ASKS) return null;
		// Built inside the limit, so that only the prompts of running calls take memory.
		const prompt = buildPrompt({ request, mark, maxCharacters, hidden: toLineSet(hidden), ...(note === undefined ? {} : { note }) });
		const { system, user } = prompt;
		const reply = await chat.complete({ model, system, user, format: ANSWER_FORMAT, signal: watch.signal }).catch((error: unknown) => {
			throw error instanceof ContextOverflowError ? error : stopFor(session, error);
		});
		watch.onCall?.(reply.call);
		const isAnswer = reply.ending === "complete" || reply.ending === "cut_off";
		const answer = isAnswer ? parseAnswer(reply.text, mark) : null;
		// Counted before the next call gets its turn.
		if (answer === null && notes !== null) notes.unanswered += 1;
		return { answer, ending: reply.ending, prompt, maxCharacters };
	};
	return limit(() => withinReserve(paid));
}

/** A fault of the endpoint ends the calls of all criteria. A call that was broken off for such a reason reports the reason. */
function stopFor(session: JudgeSession, error: unknown): unknown {
	if (error instanceof Error) session.stop(error);
	try {
		session.assertGoing();
	} catch (reason) {
		return reason;
	}
	return error;
}

function tooLong(model: string, cause: unknown): EvaluationFault {
	const message = `The task and the submission are too long for the judge's model ${model}, even shortened.`;
	return new EvaluationFault(message, { blame: "platform", isRetryable: false, cause });
}
