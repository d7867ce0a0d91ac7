// Asks a model until its reply can be read. When none can, a control prompt decides whose fault that is.
import * as z from "zod";
import type { ModelJudgeSettings } from "../../../config/judge-settings.ts";
import { EvaluationFault } from "../../../domain/evaluation-fault.ts";
import type { CutFile, JudgeRequest, JudgeSession, JudgeWatch, LineRange } from "../../../ports/judge.ts";
import { ANSWER_FORMAT, answerSchema, type JudgeAnswer, parseAnswer } from "./answer.ts";
import type { Chat } from "./chat.ts";
import { ContextOverflowError } from "./chat-faults.ts";
import { controlRequest } from "./control.ts";
import { type FileExcerpt, toLineSet } from "./material.ts";
import type { Limiter } from "./parallel.ts";
import { buildPrompt, type Prompt } from "./prompt.ts";
import type { ChatEnding } from "./protocol.ts";
import type { FirstAlone } from "./session.ts";

/** A question is asked this often before the control prompt, over all attempts at a job. */
export const MAX_ASKS = 2;
/** A question that was left unanswered gets twice the time and tokens, and so does the control prompt. */
export const PATIENCE = 2;
/** A call that does not fit is shortened by half at most this often. */
export const MAX_SHORTENINGS = 4;

const SCHEMA_NOTE = "Your previous reply was not the requested JSON object. Reply with that object only.";

/** All calls of an evaluation to this judge share this. */
export interface CallContext {
	readonly firstAlone: FirstAlone;
	/** A model that has rejected a call as too long has its new limit here, in characters. */
	readonly limits: Map<string, number>;
}

/** All questions about one criterion share this. */
export interface CriterionContext {
	readonly request: JudgeRequest;
	readonly watch: JudgeWatch;
	readonly session: JudgeSession;
	readonly settings: ModelJudgeSettings;
	readonly limit: Limiter;
	readonly chat: Chat;
	readonly shared: CallContext;
	/** The judgement began at this time, in milliseconds since the epoch. */
	readonly now: number;
	/** Each model is asked the control prompt once for each attempt. The result is how it failed to answer, or null if it answered. */
	readonly controls: Map<string, Promise<ChatEnding | null>>;
}

export interface Question {
	/** The notes store the reply under this name. */
	readonly key: string;
	readonly model: string;
	/** These lines are not shown. */
	readonly hidden: readonly LineRange[];
	/** The previous reply had this fault. */
	readonly note?: string;
}

export interface SampleAnswer {
	readonly answer: JudgeAnswer;
	readonly shown: readonly FileExcerpt[];
	readonly cutFiles: readonly CutFile[];
	readonly strippedCharacters: number;
	/** These lines were not shown. */
	readonly hidden: readonly LineRange[];
}

const keptAnswer = z.object({
	answer: answerSchema,
	maxCharacters: z.number(),
	hidden: z.array(z.object({ path: z.string(), start: z.number(), end: z.number() })),
});

/**
 * A model stayed silent about a criterion of this submission and answered about other files of the same size. The criterion counts as
 * level 0, because a model that obeys could be told to stay silent, or to think for too long, instead of giving a low level. It costs no
 * attempt, so that the other samples may end.
 */
export class SilenceFault extends EvaluationFault {
	/** The last call that was left unanswered had this prompt. */
	readonly prompt: Prompt;

	constructor(message: string, prompt: Prompt) {
		super(message, { blame: "submission", isRetryable: false, costsAttempt: false });
		this.prompt = prompt;
	}
}

/**
 * Asks a question, unless an earlier attempt has the reply already.
 *
 * @throws SilenceFault, EvaluationFault.
 */
export async function askModel(context: CriterionContext, question: Question): Promise<SampleAnswer> {
	const { key, model, hidden } = question;
	const notes = context.session.notesOf(context.request.criterion.name);
	const kept = keptAnswer.safeParse(notes.answers[key]);
	if (kept.success) return present(context, kept.data);
	await assertExcuseEnded(context, model);
	let { note } = question;
	let silence: CallResult | null = null;
	for (let asked = notes.unanswered[key] ?? 0; asked < MAX_ASKS; asked += 1) {
		const patience = asked === 0 ? 1 : PATIENCE;
		const reply = await askShortened(context, { model, hidden, patience, ...(note === undefined ? {} : { note }) });
		if (reply.answer !== null) {
			notes.answers[key] = { answer: reply.answer, maxCharacters: reply.maxCharacters, hidden };
			return toSampleAnswer(reply.answer, reply.prompt, hidden);
		}
		notes.unanswered[key] = asked + 1;
		silence = reply;
		if (reply.ending === "complete" || reply.ending === "unreadable") note = SCHEMA_NOTE;
	}
	throw await explainSilence(context, question, silence);
}

function present({ request, session }: CriterionContext, { answer, maxCharacters, hidden }: z.output<typeof keptAnswer>): SampleAnswer {
	const prompt = buildPrompt({ request, mark: session.mark, maxCharacters, hidden: toLineSet(hidden) });
	return toSampleAnswer(answer, prompt, hidden);
}

function toSampleAnswer(answer: JudgeAnswer, { shown, cutFiles, strippedCharacters }: Prompt, hidden: readonly LineRange[]): SampleAnswer {
	return { answer, shown, cutFiles, strippedCharacters, hidden };
}

/**
 * Lets a model that was silent about harmless files be asked about the submission again only after it has replied about them.
 *
 * @throws EvaluationFault while it is still silent.
 */
async function assertExcuseEnded(context: CriterionContext, model: string): Promise<void> {
	const notes = context.session.notesOf(context.request.criterion.name);
	if (!notes.isExcused) return;
	const silence = await askControl(context, model);
	if (silence !== null) throw platformSilence(model, silence);
	notes.isExcused = false;
	notes.unanswered = {};
}

const SILENCES: Readonly<Record<ChatEnding, string>> = {
	complete: "gave no readable reply",
	cut_off: "did not finish its reply within its limit of tokens",
	late: "gave no reply in time",
	unreadable: "gave no readable reply",
	refused: "refused to reply",
	filtered: "gave no reply, because its provider's content filter withheld it,",
};

function platformSilence(model: string, ending: ChatEnding): EvaluationFault {
	const message = `The judge's model ${model} ${SILENCES[ending]}, not even to the same question about other files.`;
	return new EvaluationFault(message, { blame: "platform", isRetryable: true });
}

/**
 * Finds out whose fault it is that no question was answered.
 *
 * @param silence The last call. Null when an earlier attempt has made all calls.
 */
async function explainSilence(
	context: CriterionContext,
	{ model, hidden }: Question,
	silence: CallResult | null,
): Promise<EvaluationFault> {
	const { request, session, settings } = context;
	const silenceAboutControl = await askControl(context, model);
	if (silenceAboutControl !== null) {
		session.notesOf(request.criterion.name).isExcused = true;
		return platformSilence(model, silenceAboutControl);
	}
	const ending = silence?.ending ?? "unreadable";
	const message = `The judge's model ${model} ${SILENCES[ending]} in ${MAX_ASKS} attempts, and replied to the same question about other files of the same size. So this criterion counts as level 0. Remove text that addresses the judge, that a content filter may reject, or that takes a reader very long.`;
	const { maxInputCharacters: maxCharacters } = settings;
	const prompt = silence?.prompt ?? buildPrompt({ request, mark: session.mark, maxCharacters, hidden: toLineSet(hidden) });
	return new SilenceFault(message, prompt);
}

/** Returns how the model failed to reply about the platform's files. Returns null if it replied. */
function askControl(context: CriterionContext, model: string): Promise<ChatEnding | null> {
	const known = context.controls.get(model);
	if (known !== undefined) return known;
	const question = { model, hidden: [], patience: PATIENCE };
	const control = askShortened({ ...context, request: controlRequest(context.request) }, question);
	const silence = control.then(({ answer, ending }) => (answer === null ? ending : null));
	context.controls.set(model, silence);
	return silence;
}

interface CallOptions extends Omit<Question, "key"> {
	readonly patience: number;
}

interface CallResult {
	/** It is null when it cannot be read. */
	readonly answer: JudgeAnswer | null;
	readonly ending: ChatEnding;
	readonly prompt: Prompt;
	readonly maxCharacters: number;
}

/** Makes one call, and shortens and repeats it when it is too long for the model. */
async function askShortened(context: CriterionContext, question: CallOptions): Promise<CallResult> {
	const { settings, shared } = context;
	const { model } = question;
	const limit = () => shared.limits.get(model) ?? settings.maxInputCharacters;
	return shared.firstAlone(model, async () => {
		for (;;) {
			const maxCharacters = limit();
			try {
				return await askOnce(context, question, maxCharacters);
			} catch (error) {
				if (!(error instanceof ContextOverflowError)) throw error;
				if (maxCharacters / 2 < settings.maxInputCharacters / 2 ** MAX_SHORTENINGS) throw tooLong(model, error);
				// Parallel calls may all find out that they are too long.
				shared.limits.set(model, Math.min(limit(), maxCharacters / 2));
			}
		}
	});
}

async function askOnce(
	{ request, watch, session, limit, chat }: CriterionContext,
	question: CallOptions,
	maxCharacters: number,
): Promise<CallResult> {
	const { model, hidden, note, patience } = question;
	const { mark } = session;
	return limit(async () => {
		watch.signal?.throwIfAborted();
		session.assertGoing();
		// The prompt is built inside the limit, so that only the prompts of running calls take memory.
		const prompt = buildPrompt({ request, mark, maxCharacters, hidden: toLineSet(hidden), ...(note === undefined ? {} : { note }) });
		const { system, user, sharedCharacters } = prompt;
		const asked = {
			model,
			system,
			user,
			sharedCharacters,
			format: ANSWER_FORMAT,
			patience,
			signal: watch.signal,
			requestId: session.requestId,
		};
		const reply = await chat.complete(asked).catch((error: unknown) => {
			throw error instanceof ContextOverflowError ? error : stopFor(session, error);
		});
		watch.onCall?.(reply.call);
		// Without structured output, a reply that reached the limit of tokens may be whole all the same.
		const isReadable = reply.ending === "complete" || reply.ending === "cut_off";
		return {
			answer: isReadable ? parseAnswer(reply.text, { mark, checks: request.criterion.checks.length }) : null,
			ending: reply.ending,
			prompt,
			maxCharacters,
		};
	});
}

/**
 * Stops the session. A fault of the endpoint ends the calls of all criteria. A call that was broken off for such a reason reports the
 * reason.
 */
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
