// Asks a question at most twice per sample, even if there are several reasons to repeat it. If no reply is usable, the control question
// (control.ts) shows whether the submission or the platform is at fault.
import type { CallingContext } from "./context.ts";
import type { Asking } from "./kept.ts";
import { askControl, type Delivery, type Question, sendQuestion } from "./sending.ts";
import { explainWait, WaitError } from "./waits.ts";
import type { WireReply } from "./wire.ts";

export const MAX_ASKS = 2;
/** After a reply that reached its limit, the next limit is larger by this factor. */
const LONGER = 2;
/** This many calls that ended before their first token count as one ask, if the control was answered after each of them. */
const MAX_UNHEARD = 3;

export interface Reply<Answer> {
	readonly answer: Answer;
	/** The room that the call had for task and files, in characters. */
	readonly room: number;
}

/**
 * Asks a question once, unless it was already asked twice. Returns null if there is no usable reply. A reply that the server aborted
 * because of another of our calls does not count as an ask.
 *
 * @param asking The progress of the question, which is updated.
 * @throws WaitError if the job has to wait. The call then does not count as an ask.
 */
export async function askOnce<Answer>(context: CallingContext, question: Question<Answer>, asking: Asking): Promise<Reply<Answer> | null> {
	const { model } = question;
	if (asking.owesControl) await settleUnheard(context, question, asking);
	if (asking.asked >= MAX_ASKS) return null;
	context.assertGoing(model);
	const began = context.deps.clock.now();
	const { outcome, room, sentAt } = await sendQuestion(context, question, { patience: asking.patience, isControl: false });
	const milliseconds = context.deps.clock.now() - began;
	if (outcome.kind === "reply") return takeReply(context, question, { asking, reply: outcome.reply, room, began, milliseconds });
	if (outcome.kind === "unfinished" && context.noteBrokenOff(model)) return null;
	const wait = waitOf(model, outcome);
	if (wait !== null) throw wait;
	if (outcome.kind === "unheard" && !hasHeardLater(context, model, sentAt)) {
		return endUnheard(context, question, { asking, words: outcome.words });
	}
	asking.asked += 1;
	noteReply(context, question, { isReadable: false, isRepeated: asking.asked > 1, milliseconds });
	return null;
}

function takeReply<Answer>(
	context: CallingContext,
	question: Question<Answer>,
	taken: {
		readonly asking: Asking;
		readonly reply: WireReply;
		readonly room: number;
		readonly began: number;
		readonly milliseconds: number;
	},
): Reply<Answer> | null {
	const { asking, reply, room, began, milliseconds } = taken;
	asking.asked += 1;
	asking.unheard = 0;
	const answer = reply.ending === "withheld" ? null : question.read(reply.text);
	noteReply(context, question, { isReadable: answer !== null, isRepeated: asking.asked > 1, milliseconds });
	if (answer !== null) {
		context.noteAnswer(question.model, began);
		return { answer, room };
	}
	asking.patience = reply.ending === "length" ? LONGER : 1;
	asking.note = reply.ending === "stop" ? "unreadable" : null;
	return null;
}

function noteReply<Answer>(
	{ watch }: CallingContext,
	{ form }: Question<Answer>,
	reply: { readonly isReadable: boolean; readonly isRepeated: boolean; readonly milliseconds: number },
): void {
	watch.onStep?.({ kind: "reply", form, ...reply });
}

/** Returns what the job must wait for if no submission can cause the outcome. Otherwise returns null. */
export function waitOf(model: string, outcome: Delivery["outcome"]): WaitError | null {
	if (outcome.kind === "unreachable") return new WaitError(model, explainWait(model, { kind: "unreachable", words: outcome.words }));
	if (outcome.kind !== "error" || outcome.meaning !== "account") return null;
	return new WaitError(model, explainWait(model, { ...outcome, kind: "account" }));
}

/** Returns true if a later call has already got its first token. The call sent at `sentAt` was then not just waiting in the queue. */
function hasHeardLater({ heard }: CallingContext, model: string, sentAt: number): boolean {
	return (heard.get(model) ?? 0) > sentAt;
}

async function endUnheard<Answer>(
	context: CallingContext,
	question: Question<Answer>,
	{ asking, words }: { readonly asking: Asking; readonly words: string },
): Promise<null> {
	asking.owesControl = true;
	await settleUnheard(context, question, asking);
	if (asking.unheard > 0) throw new WaitError(question.model, explainWait(question.model, { kind: "unheard", words }));
	return null;
}

/**
 * Asks the control about a call that ended before its first token. If the attempt ends first, the next attempt begins with the control.
 *
 * @throws WaitError if the control is not answered either.
 */
async function settleUnheard<Answer>(context: CallingContext, question: Question<Answer>, asking: Asking): Promise<void> {
	context.assertGoing(question.model);
	const control = await askControl(context, question, asking.patience);
	if (!control.isAnswered) {
		if (control.error !== context.over) Object.assign(asking, { owesControl: false, unheard: 0 });
		throw control.error;
	}
	asking.owesControl = false;
	asking.unheard += 1;
	if (asking.unheard < MAX_UNHEARD) return;
	asking.unheard = 0;
	asking.asked += 1;
}

/**
 * Decides who is at fault if a question was asked twice without a usable reply. Returns only if it is the submission.
 *
 * @throws WaitError if the platform is at fault. The asks then do not count. Also throws it if the attempt ends before the control is
 * answered. The next attempt then begins with the control.
 */
export async function decideSilence<Answer>(context: CallingContext, question: Question<Answer>, asking: Asking): Promise<void> {
	if (asking.isLost) return;
	const control = await askControl(context, question, asking.patience);
	if (control.isAnswered) {
		asking.isLost = true;
		context.watch.onStep?.({ kind: "silence", form: question.form });
		return;
	}
	if (control.error !== context.over) Object.assign(asking, { asked: 0, unheard: 0, note: null, patience: 1 });
	throw control.error;
}
