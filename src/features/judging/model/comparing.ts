// Asks a model which of two works serves a criterion better. The same rules hold as for a single work: marked lines, quotes, injections.
import * as z from "zod";
import type { ModelJudgeSettings } from "../../../config/judge-settings.ts";
import type { ComparisonRequest, Evidence, JudgeSession, JudgeWatch, LineRange, Preference, WorkFiles } from "../../../ports/judge.ts";
import { lineNumber, parseReplyJson } from "./answer.ts";
import { MAX_ASKS, MAX_SHORTENINGS, PATIENCE } from "./asking.ts";
import type { Chat } from "./chat.ts";
import { ContextOverflowError } from "./chat-faults.ts";
import { COMPARISON_FORMAT, describeComparison, type PairMaterial } from "./comparison-prompt.ts";
import { controlFiles } from "./control.ts";
import { findSuspiciousLines, findSuspiciousNames, shownLines } from "./injections.ts";
import { withoutMarks } from "./marking.ts";
import { toLineSet, verifyEvidence } from "./material.ts";
import type { Limiter } from "./parallel.ts";
import type { FirstAlone } from "./session.ts";

/** A model may be asked about the pair, asked again without lines that were reported, and asked about each work next to harmless files. */
export const MAX_COMPARISON_CALLS = 2 * MAX_ASKS + 2;
const MAX_QUOTES = 20;
const MAX_INJECTIONS = 50;

const SIDES = ["A", "B"] as const;
type Side = (typeof SIDES)[number];

const place = { submission: z.enum(SIDES), path: z.string(), start: lineNumber, end: lineNumber };

const replySchema = z.strictObject({
	differences: z.array(z.string().max(20_000)).max(50),
	evidence: z.array(z.strictObject({ ...place, quote: z.string().max(20_000) })).max(MAX_QUOTES),
	better: z.enum([...SIDES, "neither"]),
	injection_suspected: z.boolean(),
	injection_lines: z.array(z.strictObject(place)).max(MAX_INJECTIONS).default([]),
});

type PairReply = z.output<typeof replySchema>;

export interface ComparisonContext {
	readonly request: ComparisonRequest;
	readonly watch: JudgeWatch;
	readonly session: JudgeSession;
	readonly settings: ModelJudgeSettings;
	readonly limit: Limiter;
	readonly chat: Chat;
	readonly firstAlone: FirstAlone;
}

/** The preference is 1 for the first work, -1 for the second one, 0 for neither. */
type Direction = 1 | 0 | -1;

const DIRECTIONS: Readonly<Record<PairReply["better"], Direction>> = { A: 1, B: -1, neither: 0 };

/**
 * Compares two works. A preference needs a quote of the preferred work. If a reply reports lines that try to influence the judge, or the
 * fixed rule finds such lines or names of files, the works are compared once more without them. The worse of both outcomes counts for the
 * work that has them, so that it gains nothing from them. The fixed rule is needed because a model that obeys an order does not report it.
 *
 * @throws EvaluationFault if a call fails.
 */
export async function compareByModel(context: ComparisonContext): Promise<Preference> {
	const { models } = context.settings;
	const model = models[context.request.turn % models.length] ?? "";
	const first = await askForPreference(context, model, NOTHING_HIDDEN);
	if (first === null) return { model, preferred: PREFERRED[await compareWithControls(context, model)] };
	const { flagged } = first;
	if (flagged.A.length + flagged.B.length === 0) return { model, preferred: PREFERRED[first.direction] };
	const again = (await askForPreference(context, model, flagged))?.direction ?? (await compareWithControls(context, model));
	return { model, preferred: PREFERRED[worseForFlagged([first.direction, again], flagged)] };
}

const PREFERRED = { [1]: "first", [0]: "neither", [-1]: "second" } as const;

type Lines = Readonly<Record<Side, readonly LineRange[]>>;

const NOTHING_HIDDEN: Lines = { A: [], B: [] };

function worseForFlagged([before, after]: readonly [Direction, Direction], flagged: Lines): Direction {
	if (before === after) return before;
	if (flagged.A.length > 0 && flagged.B.length > 0) return 0;
	const isFirstWorse = flagged.A.length > 0;
	return before < after === isFirstWorse ? before : after;
}

/**
 * Decides who is to blame for a model that stays silent, because silence must not be better than a comparison that is lost. A work loses if
 * the model is silent about it next to harmless files, and not about the other work. Each control has the size of the work that it
 * replaces.
 */
async function compareWithControls(context: ComparisonContext, model: string): Promise<Direction> {
	const [a, b] = context.request.works;
	const controlled = [[a, controlFiles(b)] as const, [controlFiles(a), b] as const];
	const [isFirstSilent, isSecondSilent] = await Promise.all(
		controlled.map(async (works) => {
			const control = { ...context, request: { ...context.request, works } };
			return (await compareShortened(control, { model, hidden: NOTHING_HIDDEN, patience: PATIENCE })) === null;
		}),
	);
	if (isFirstSilent === isSecondSilent) return 0;
	return isFirstSilent ? -1 : 1;
}

interface PairOutcome {
	readonly direction: Direction;
	/** These lines and names of files of each work try to influence the judge. */
	readonly flagged: Lines;
}

/** Returns null if no reply can be read. */
async function askForPreference(context: ComparisonContext, model: string, hidden: Lines): Promise<PairOutcome | null> {
	for (let asked = 0; asked < MAX_ASKS; asked += 1) {
		const answered = await compareShortened(context, { model, hidden, patience: asked === 0 ? 1 : PATIENCE });
		if (answered !== null) return checkQuotes(context, answered, hidden);
	}
	return null;
}

interface PairExchange {
	readonly reply: PairReply;
	readonly material: PairMaterial;
}

/** Checks the quotes of a reply. */
function checkQuotes({ request, session }: ComparisonContext, { reply, material }: PairExchange, hidden: Lines): PairOutcome {
	const [a, b] = request.works;
	const flagged = {
		A: [...suspectLines(reply, material, "A"), ...findSuspiciousNames(a)],
		B: [...suspectLines(reply, material, "B"), ...findSuspiciousNames(b)],
	};
	const { better } = reply;
	if (better === "neither") return { direction: 0, flagged };
	const quotes = reply.evidence
		.filter(({ submission }) => submission === better)
		.map(
			({ submission: _, ...quote }): Evidence => ({
				...quote,
				quote: withoutMarks(session.mark, quote.quote.replaceAll(`${session.mark}|${better}|`, `${session.mark}|`)),
			}),
		);
	const barred = toLineSet([...flagged[better], ...hidden[better]]);
	const { evidence, showsWork } = verifyEvidence(quotes, material[better].shown, barred);
	const work = request.works[SIDES.indexOf(better)];
	const isProven = evidence.length > 0 && (showsWork || !needsWork(request, work));
	return { direction: isProven ? DIRECTIONS[better] : 0, flagged };
}

/** Documents prove nothing about the work, unless they are all that was submitted. */
function needsWork({ criterion }: ComparisonRequest, work: WorkFiles | undefined): boolean {
	return criterion.evidence === "work" && (work?.files ?? []).some((file) => !file.isClaim);
}

/** Returns the lines that a reply reports, and those of the fixed rule. */
function suspectLines({ injection_lines }: PairReply, material: PairMaterial, name: Side): LineRange[] {
	const { shown } = material[name];
	const named = injection_lines.filter(({ submission }) => submission === name);
	return [...shownLines(named, shown), ...findSuspiciousLines(shown)];
}

interface PairQuestion {
	readonly model: string;
	readonly hidden: Lines;
	readonly patience: number;
}

/** Shortens what is shown by half for as long as it does not fit into the model's context. Returns null for a reply that cannot be read. */
async function compareShortened(context: ComparisonContext, asked: PairQuestion): Promise<PairExchange | null> {
	const most = context.settings.maxInputCharacters;
	for (let shortenings = 0; ; shortenings += 1) {
		try {
			return await compareOnce(context, asked, most / 2 ** shortenings);
		} catch (error) {
			if (!(error instanceof ContextOverflowError) || shortenings === MAX_SHORTENINGS) throw error;
		}
	}
}

async function compareOnce(
	context: ComparisonContext,
	{ model, hidden, patience }: PairQuestion,
	maxCharacters: number,
): Promise<PairExchange | null> {
	const { request, watch, session, limit, chat, firstAlone } = context;
	// All criteria of a pair begin with the same text.
	return firstAlone(`${model}/${request.turn}`, () =>
		limit(async () => {
			watch.signal?.throwIfAborted();
			session.assertGoing();
			const { system, user, sharedCharacters, material } = describeComparison({
				request,
				mark: session.mark,
				maxCharacters,
				hidden: { A: toLineSet(hidden.A), B: toLineSet(hidden.B) },
			});
			const asked = {
				model,
				system,
				user,
				sharedCharacters,
				format: COMPARISON_FORMAT,
				patience,
				signal: watch.signal,
				requestId: session.requestId,
			};
			const reply = await chat.complete(asked);
			watch.onCall?.(reply.call);
			const parsed = replySchema.safeParse(parseReplyJson(reply.text));
			const isReadable = reply.ending === "complete" || reply.ending === "cut_off";
			return isReadable && parsed.success ? { reply: parsed.data, material } : null;
		}),
	);
}
