// Judges the checks of one call, all of one criterion: asks the model, finds its quotes in the files, and has its answers confirmed.
import { type Finding, lowerFinding } from "../../../domain/checks.ts";
import type { CriterionBrief, EvaluationRequest } from "../../../ports/judge.ts";
import { askOnce, decideSilence, MAX_ASKS, type Reply } from "./asking.ts";
import type { CallingContext } from "./context.ts";
import { controlConfirmation } from "./control.ts";
import type { Kept, KeptAnswer, KeptCall } from "./kept.ts";
import { prepareFile } from "./material.ts";
import { askChecks, askConfirmation, type Confirmed, NOTES, type SharedPrompt } from "./prompts.ts";
import { findProofs, linesAround } from "./proof.ts";
import { type AnswerReply, answerFormat, type CheckReply, confirmationFormat, readAnswers, readConfirmations } from "./replies.ts";
import type { Question } from "./sending.ts";

/** The checks of a criterion that one call asks about. */
export interface PlannedCall {
	readonly key: string;
	readonly criterion: CriterionBrief;
	readonly positions: readonly number[];
}

export interface SampleContext {
	readonly calling: CallingContext;
	readonly request: EvaluationRequest;
	readonly kept: Kept;
	readonly model: string;
	readonly shared: (room: number) => SharedPrompt;
	/** Like `shared`, but with harmless files instead of the submission's. */
	readonly sharedControl: (room: number) => SharedPrompt;
}

/** @throws WaitError if the job has to wait. `call` then has the progress so far. */
export async function judgeCall(context: SampleContext, planned: PlannedCall, call: KeptCall): Promise<void> {
	if (call.isDone) return;
	await askForAnswers(context, planned, call);
	await confirmAnswers(context, planned, call);
	call.isDone = true;
}

export function checksQuestion(
	{ shared, sharedControl, model }: SampleContext,
	{ criterion }: PlannedCall,
	{ positions, note }: { readonly positions: readonly number[]; readonly note: keyof typeof NOTES | null },
): Question<AnswerReply> {
	const checks = { positions, note: note === null ? null : NOTES[note] };
	return {
		...{ form: "checks", model, format: answerFormat(positions.length) },
		write: (room) => askChecks(shared(room), criterion, checks),
		writeControl: (room) => askChecks(sharedControl(room), criterion, { positions, note: null }),
		read: (text) => readAnswers(text, positions.length),
	};
}

async function askForAnswers(context: SampleContext, planned: PlannedCall, call: KeptCall): Promise<void> {
	const { calling, model } = context;
	const open = () => planned.positions.filter((position) => needsAsk(call, position));
	for (let positions = open(); positions.length > 0; positions = open()) {
		const ask = () => calling.runAtGate(model, () => askForSome(context, planned, { call, positions }));
		// OpenAI puts the reply's schema before the prompt. So for each schema, one call is made before the others, to fill the cache.
		await calling.firstAlone(model, () => calling.firstAlone(`${model} ${positions.length}`, ask));
	}
}

async function askForSome(
	context: SampleContext,
	planned: PlannedCall,
	{ call, positions }: { readonly call: KeptCall; readonly positions: readonly number[] },
): Promise<void> {
	const { calling } = context;
	const reply = await askOnce(calling, checksQuestion(context, planned, { positions, note: call.checks.note }), call.checks);
	if (reply !== null) takeAnswers(context, planned, { call, positions, reply });
	const lost = reply === null ? positions : positions.filter((position) => call.answers[position] === undefined);
	if (call.checks.asked < MAX_ASKS || lost.length === 0) return;
	// The control takes the failed call's place at the gate, so it does not wait for other calls.
	await decideSilence(calling, checksQuestion(context, planned, { positions: lost, note: null }), call.checks);
	for (const position of lost) call.answers[position] ??= { found: "no", proofs: [], cause: "silent", isSettled: true };
}

/** Returns true for a check without an answer, and, if another ask is left, for a check whose answer was not proven. */
function needsAsk({ answers, checks }: KeptCall, position: number): boolean {
	const answer = answers[position];
	return answer === undefined || (answer.cause === "unproven" && checks.asked < MAX_ASKS);
}

function takeAnswers(
	{ kept, shared }: SampleContext,
	{ criterion }: PlannedCall,
	{ call, positions, reply }: { readonly call: KeptCall; readonly positions: readonly number[]; readonly reply: Reply<AnswerReply> },
): void {
	const { shown, cutFiles } = shared(reply.room).material;
	const { checks, gaps, reasoning, isInjectionSuspected } = reply.answer;
	const claimsProve = criterion.evidence === "any";
	positions.forEach((position, index) => {
		const answered = checks[index];
		if (answered === null || answered === undefined) return;
		const answer = proveAnswer(answered, { shown, mark: kept.mark, claimsProve });
		call.claimed += Number(isClaimed(answered.found));
		call.real += Number(isClaimed(answer.found));
		call.answers[position] = { ...answer, isSettled: !needsConfirmation(answer, criterion, position) };
	});
	const isUnproven = positions.some((position) => call.answers[position]?.cause === "unproven");
	call.checks.note = isUnproven ? "unproven" : "unreadable";
	call.reasoning = [call.reasoning, reasoning].filter((text) => text !== "").join(" ");
	call.gaps = [...new Set([...call.gaps, ...gaps])];
	call.isInjectionSuspected ||= isInjectionSuspected;
	for (const cut of cutFiles) noteCut(kept, cut);
}

function isClaimed(found: Finding): boolean {
	return found === "yes" || found === "partly";
}

function proveAnswer({ found, quotes }: CheckReply, where: Parameters<typeof findProofs>[1]): Omit<KeptAnswer, "isSettled"> {
	const proofs = findProofs(quotes, where);
	if (isClaimed(found) && proofs.length === 0) return { found: "no", proofs: [], cause: "unproven" };
	return { found, proofs: isClaimed(found) ? proofs : [], cause: null };
}

function needsConfirmation({ found }: Pick<KeptAnswer, "found">, { wholeChecks }: CriterionBrief, position: number): boolean {
	return isClaimed(found) && !wholeChecks.includes(position);
}

/** For each file, records the smallest part that any call read. */
function noteCut({ cutFiles }: Kept, cut: Kept["cutFiles"][number]): void {
	const earlier = cutFiles.find(({ path }) => path === cut.path);
	if (earlier === undefined) cutFiles.push({ ...cut });
	else earlier.linesRead = Math.min(earlier.linesRead, cut.linesRead);
}

async function confirmAnswers(context: SampleContext, planned: PlannedCall, call: KeptCall): Promise<void> {
	const { calling, model } = context;
	const { isConfirming, confirmModel } = calling.settings;
	if (!isConfirming) return;
	const confirmer = confirmModel ?? model;
	const open = () => planned.positions.filter((position) => call.answers[position]?.isSettled === false);
	for (let positions = open(); positions.length > 0; positions = open()) {
		await calling.runAtGate(confirmer, () => confirmSome(context, planned, { call, positions, confirmer }));
	}
}

async function confirmSome(
	context: SampleContext,
	planned: PlannedCall,
	{ call, positions, confirmer }: { readonly call: KeptCall; readonly positions: readonly number[]; readonly confirmer: string },
): Promise<void> {
	const { calling } = context;
	const reply = await askOnce(calling, confirmationQuestion(context, planned, { call, positions, confirmer }), call.confirmation);
	positions.forEach((position, index) => {
		const confirmed = reply?.answer[index];
		if (confirmed != null) settle(call, position, confirmed);
	});
	const lost = positions.filter((position) => call.answers[position]?.isSettled === false);
	if (call.confirmation.asked < MAX_ASKS || lost.length === 0) return;
	await decideSilence(calling, confirmationQuestion(context, planned, { call, positions: lost, confirmer }), call.confirmation);
	for (const position of lost) call.answers[position] = { found: "no", proofs: [], cause: "silent", isSettled: true };
}

/** Settles an answer after its confirmation. The lower of the two answers counts. */
function settle(call: KeptCall, position: number, confirmed: Finding): void {
	const answer = call.answers[position];
	if (answer === undefined) return;
	const finding = lowerFinding(answer.found, confirmed);
	const cause = finding === answer.found ? answer.cause : "unconfirmed";
	call.answers[position] = { found: finding, cause, proofs: isClaimed(finding) ? answer.proofs : [], isSettled: true };
}

function confirmationQuestion(
	{ request, kept }: SampleContext,
	{ criterion }: PlannedCall,
	{ call, positions, confirmer }: { readonly call: KeptCall; readonly positions: readonly number[]; readonly confirmer: string },
): Question<readonly (Finding | null)[]> {
	const confirmed = positions.map((position): Confirmed => {
		const proof = call.answers[position]?.proofs[0];
		const file = request.files.find(({ path }) => path === proof?.path);
		const lines = proof === undefined || file === undefined ? [] : linesAround(proof, prepareFile(file));
		return { check: criterion.checks[position] ?? "", lines };
	});
	return {
		...{ form: "confirmation", model: confirmer, format: confirmationFormat(positions.length) },
		write: () => askConfirmation(confirmed, kept.mark),
		writeControl: () => controlConfirmation(confirmed, kept.mark),
		read: (text) => readConfirmations(text, positions.length),
	};
}
