// Sends one question to one model. If the server rejects the form, or the call is too long, the question is sent again in another form or
// shorter. Sending it again does not count as another ask.
import type { PaidCall } from "../../../ports/judge.ts";
import { type CallOutcome, callModel } from "./calling.ts";
import type { CallingContext } from "./context.ts";
import type { ControlResult } from "./control-book.ts";
import { type CallLimits, formOf, looksTruncated, lowerForm, lowerLimits, rememberForm } from "./learning.ts";
import type { Prompt } from "./prompts.ts";
import { explainWait, WaitError } from "./waits.ts";
import type { ReplyFormat, WireForm } from "./wire.ts";

/** A question about a submission, and the same question with harmless files. */
export interface Question<Reply> {
	/** What the question is about. Questions with the same form share a control. */
	readonly form: "checks" | "confirmation";
	readonly model: string;
	readonly format: ReplyFormat;
	/** Builds the prompt, with `room` characters for task and files. */
	write(room: number): Prompt;
	writeControl(room: number): Prompt;
	/** Returns null if no part of a reply can be used. */
	read(text: string): Reply | null;
}

export interface Delivery {
	readonly outcome:
		| Exclude<CallOutcome, { kind: "error" | "cut" }>
		| (Extract<CallOutcome, { kind: "error" }> & { readonly meaning: "account" | "failed" });
	/** The room that the call had for task and files, in characters. */
	readonly room: number;
	/** When the call was sent, as a number from {@link CallingContext.tick}. */
	readonly sentAt: number;
}

/** @throws WaitError if the server accepts neither a shorter call nor another form, or if the call is cut off because the attempt ends. */
export async function sendQuestion<Reply>(context: CallingContext, question: Question<Reply>, way: Way): Promise<Delivery> {
	for (;;) {
		const delivery = await trySending(context, question, way);
		if (delivery !== null) return delivery;
	}
}

interface Way {
	/** The limit of the reply is multiplied by this factor. */
	readonly patience: number;
	readonly isControl: boolean;
}

/** Sends the question once. Returns null if it must be sent again, in another form or shorter. */
async function trySending<Reply>(
	context: CallingContext,
	question: Question<Reply>,
	{ patience, isControl }: Way,
): Promise<Delivery | null> {
	const { model } = question;
	const { characters, replyTokens } = limitsOf(context, model, patience);
	const form = formOf(model, context.settings, context.deps.clock.now());
	const prompt = isControl ? question.writeControl(characters) : question.write(characters);
	const { outcome, sentAt } = await sendOnce(context, question, { prompt, form, maxTokens: replyTokens, isControl });
	const sent = { characters, replyTokens, promptCharacters: prompt.system.length + prompt.user.length };
	const delivered = { room: characters, sentAt };
	if (outcome.kind === "reply") {
		const isSuspect = !isControl && looksTruncated(outcome.reply.inputTokens, sent.promptCharacters);
		if (!isSuspect || !(await isControlTruncated(context, question, patience))) return { ...delivered, outcome };
		const words = `context length ${outcome.reply.inputTokens + sent.replyTokens}, prompt contains ${Math.ceil(sent.promptCharacters / 2)} tokens`;
		shrink(context, model, { words, isAboutReply: false, sent });
		return null;
	}
	if (outcome.kind !== "error") return { ...delivered, outcome };
	switch (outcome.meaning) {
		case "input_limit":
		case "reply_limit":
			shrink(context, model, { words: outcome.words, isAboutReply: outcome.meaning === "reply_limit", sent });
			return null;
		case "form":
			if (!isControl && (await findForm(context, question, form))) return null;
			return { ...delivered, outcome: { ...outcome, meaning: "failed" } };
		case "account":
		case "failed":
			return { ...delivered, outcome: { ...outcome, meaning: outcome.meaning } };
	}
}

/** Returns the limits of the next call. A patient call may have a longer reply, unless the server has rejected that. */
function limitsOf({ limits, settings }: CallingContext, model: string, patience: number): CallLimits {
	const { characters = settings.maxInputCharacters, replyTokens = Number.POSITIVE_INFINITY } = limits.get(model) ?? {};
	return { characters, replyTokens: Math.min(replyTokens, settings.outputLimit.tokens * patience) };
}

interface SentCall {
	readonly prompt: Prompt;
	readonly form: WireForm;
	readonly maxTokens: number;
	readonly isControl: boolean;
}

/** @throws WaitError if the attempt ends during a reply, or at any time during a control: neither shows who is at fault. */
async function sendOnce<Reply>(
	context: CallingContext,
	{ model, format }: Question<Reply>,
	{ prompt, form, maxTokens, isControl }: SentCall,
) {
	const { deps, settings, watch, signal, over } = context;
	const sentAt = context.tick();
	const began = deps.clock.now();
	const call = { model, prompt, format, maxTokens, form, signal, requestId: watch.requestId };
	const outcome = await callModel(deps, settings, {
		...call,
		onFirstToken() {
			context.heard.set(model, Math.max(sentAt, context.heard.get(model) ?? 0));
			context.noteFirstToken(model, deps.clock.now() - began);
		},
	});
	if (outcome.kind === "cut" || (isControl && signal.aborted && outcome.kind === "unheard")) throw over;
	if (outcome.kind === "reply") watch.onCall(outcome.paid satisfies PaidCall);
	return { outcome, sentAt };
}

/**
 * Gives a model's calls less room, unless another call that was too long has already caused that.
 *
 * @throws WaitError if less room does not help.
 */
function shrink({ limits }: CallingContext, model: string, tooLong: Parameters<typeof lowerLimits>[0]): void {
	const { sent, words } = tooLong;
	const smallest = limits.get(model) ?? {};
	const isSmaller = (name: keyof CallLimits) => (smallest[name] ?? sent[name]) < sent[name];
	if (isSmaller("characters") || isSmaller("replyTokens")) return;
	const next = lowerLimits(tooLong);
	if (next === null) throw new WaitError(model, explainWait(model, { kind: "too_long", words }));
	limits.set(model, { ...smallest, ...next });
}

async function isControlTruncated<Reply>(context: CallingContext, question: Question<Reply>, patience: number): Promise<boolean> {
	const { characters, replyTokens } = limitsOf(context, question.model, patience);
	const form = formOf(question.model, context.settings, context.deps.clock.now());
	const prompt = question.writeControl(characters);
	const call = { prompt, form, maxTokens: replyTokens, isControl: true };
	const { outcome } = await sendOnce(context, question, call);
	return outcome.kind === "reply" && looksTruncated(outcome.reply.inputTokens, prompt.system.length + prompt.user.length);
}

/**
 * After the server has rejected a form, finds a simpler one that it accepts. The simpler form is remembered only if the server also
 * rejected the control in the old form, and accepted it in the simpler one. Returns false if the server did not reject the control, because
 * the submission then caused the rejection.
 *
 * @throws WaitError if the server accepts no form, or if the control fails for another reason.
 */
async function findForm<Reply>(context: CallingContext, question: Question<Reply>, refused: WireForm): Promise<boolean> {
	const { settings, deps } = context;
	const { model } = question;
	const now = () => deps.clock.now();
	const current = formOf(model, settings, now());
	if (JSON.stringify(current) !== JSON.stringify(refused)) return true;
	let words = "";
	for (let form: WireForm | null = refused; form !== null; form = lowerForm(form, words)) {
		const { characters, replyTokens } = limitsOf(context, model, 1);
		const call = { prompt: question.writeControl(characters), form, maxTokens: replyTokens, isControl: true };
		const { outcome } = await sendOnce(context, question, call);
		const isRefused = outcome.kind === "error" && outcome.meaning === "form";
		if (isRefused) {
			words = outcome.words;
			continue;
		}
		if (form === refused) return false;
		// The server has not rejected this form. If the control failed for another reason, the job waits.
		if (outcome.kind === "error") {
			const meaning = outcome.meaning === "account" ? "account" : "failed";
			throw new WaitError(model, explainWait(model, controlFault({ ...outcome, meaning })));
		}
		if (outcome.kind !== "reply") throw new WaitError(model, explainWait(model, controlFault(outcome)));
		rememberForm(model, { settings, form, now: now() });
		return true;
	}
	throw new WaitError(model, explainWait(model, { kind: "no_form", words }));
}

/**
 * Asks the control question: a call of the same form and size, but about harmless files. It takes the place of the failed call at the gate.
 */
export function askControl<Reply>(context: CallingContext, question: Question<Reply>, patience: number): Promise<ControlResult> {
	const { model, form } = question;
	const ask = async (): Promise<ControlResult> => {
		const sentAt = context.deps.clock.now();
		try {
			const { outcome } = await sendQuestion(context, question, { patience, isControl: true });
			if (outcome.kind === "reply" && outcome.reply.ending !== "withheld" && question.read(outcome.reply.text) !== null) {
				context.noteAnswer(model, sentAt);
				return { isAnswered: true };
			}
			return { isAnswered: false, error: new WaitError(model, explainWait(model, controlFault(outcome))) };
		} catch (error) {
			if (error instanceof WaitError) return { isAnswered: false, error };
			throw error;
		}
	};
	return context.controls.decide(`${form} ${model}`, { tick: context.tick, ask });
}

function controlFault(outcome: Delivery["outcome"]): Parameters<typeof explainWait>[1] {
	if (outcome.kind === "error" && outcome.meaning === "account") return { ...outcome, kind: "account" };
	if (outcome.kind === "error") return { kind: "control", words: `${outcome.status} ${outcome.words}` };
	return { kind: "control", words: outcome.kind === "reply" ? outcome.reply.text : outcome.words };
}
