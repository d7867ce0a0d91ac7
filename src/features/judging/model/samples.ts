// Judges one criterion by several samples: asks for each, checks every claim of a model, and puts the opinions together.
import { median } from "../../../domain/scores.ts";
import type { JudgeRequest, LineRange, Sample, Verdict } from "../../../ports/judge.ts";
import { isClaim, isMedia } from "../artifacts/kinds.ts";
import { capUnproven, contradictsChecks, decideByChecks, lacksProof, type Opinion, quotesOf, scoreOf } from "./answer.ts";
import { askModel, type CriterionContext, type SampleAnswer, SilenceFault } from "./asking.ts";
import { workingModels } from "./chat.ts";
import { samplesOf } from "./estimate.ts";
import { findSuspiciousNames, flaggedLines, isSuspected, toRanges } from "./injections.ts";
import { NAME_LINE, toLineSet, verifyEvidence } from "./material.ts";
import { anySignal, untilFirstFault } from "./parallel.ts";
import { repeatsExamples } from "./repeated-text.ts";

const PROOF_NOTE =
	"Your previous reply gave a high level, but none of its quotes is in the file it named and long enough. Copy each quote exactly from the lines above, without the marks, with the path as the manifest spells it, or give the level that the files support.";
const WORK_NOTE =
	"Your previous reply gave a high level, but none of its quotes shows work: they are from files labelled claim, from comments or from descriptions. Quote the work itself, or give the level that the work supports.";
const CHECKS_NOTE =
	"Your previous reply gave a level that its own checks exclude: level 5 with a check that was not found, or level 0 or 1 with every check found. Look at the checks again, and give the level that they support.";

interface SamplePlace {
	/** It counts from 0. */
	readonly index: number;
	readonly model: string;
}

interface SampleJudgement extends SamplePlace {
	readonly opinion: Opinion;
	readonly answered: SampleAnswer;
}

/**
 * Judges a criterion by the samples that its task warrants.
 *
 * @throws EvaluationFault.
 */
export async function judgeCriterion(context: CriterionContext): Promise<Verdict> {
	try {
		return await judgeBySamples(context);
	} catch (error) {
		if (error instanceof SilenceFault) return scoreSilence(context, error);
		throw error;
	}
}

/** Returns the verdict of the sample nearest to the median of all. Its score is that median. */
async function judgeBySamples(context: CriterionContext): Promise<Verdict> {
	const places = placesOfSamples(context);
	const first = await askAll(context, places, { step: "first", hidden: [] });
	const flagged = first.flatMap((answered) => flaggedIn(context, answered));
	// This judges again without the lines and names that address the judge. The lower of both judgements counts, so that nothing is gained
	// by having them taken out.
	const answers = flagged.length === 0 ? first : await askAll(context, places, { step: "clean", hidden: flagged });
	const barred = [...flagged, ...answers.flatMap((answered) => flaggedIn(context, answered))];
	const judged = await untilFirstFault(places, async (place, signal): Promise<SampleJudgement> => {
		const answered = answers[place.index];
		if (answered === undefined) throw new Error("A sample is missing.");
		const settled = await settleOpinion(withSignal(context, signal), { place, answered, barred });
		return { ...place, ...(flagged.length === 0 ? settled : lowerOf(settled, first[place.index], barred)) };
	});
	const isFlagged = (index: number) => [first[index], answers[index]].some((one) => one !== undefined && isSuspected(one.answer));
	return toVerdict(context.request, judged, {
		samples: judged.map(({ index, model, opinion }) => ({
			model,
			level: opinion.level,
			score: scoreOf(opinion),
			isInjectionSuspected: isFlagged(index),
			isCapped: opinion.isCapped,
		})),
		injected: [...barred, ...judged.flatMap(({ answered }) => answered.hidden)].filter(({ start }) => start !== NAME_LINE),
	});
}

/** Returns the lines, and the names of files, that try to influence the judge. */
function flaggedIn({ request }: CriterionContext, { answer, shown }: SampleAnswer): LineRange[] {
	return isSuspected(answer) ? [...flaggedLines(answer, shown), ...findSuspiciousNames(request)] : [];
}

function placesOfSamples(context: CriterionContext): SamplePlace[] {
	const { request, settings } = context;
	const models = workingModels(settings.models, context.now);
	return Array.from({ length: samplesOf(request, settings) }, (_, index) => ({ index, model: models[index % models.length] ?? "" }));
}

/** Gives level 0 to every sample, also to those that were answered. */
function scoreSilence(context: CriterionContext, { message, prompt }: SilenceFault): Verdict {
	const level = { level: 0, score: 0, isInjectionSuspected: false, isCapped: false };
	return {
		score: 0,
		reasoning: message,
		evidence: [],
		checks: [],
		gaps: [],
		samples: placesOfSamples(context).map(({ model }) => ({ model, ...level })),
		cutFiles: prompt.cutFiles,
		strippedCharacters: prompt.strippedCharacters,
	};
}

const WITHHELD_REASONING = "The judge's reasoning is left out, because it repeats an example that only the judge may see.";

function toVerdict(
	request: JudgeRequest,
	judged: readonly SampleJudgement[],
	{ samples, injected }: { samples: readonly Sample[]; injected: readonly LineRange[] },
): Verdict {
	const score = median(samples.map((sample) => sample.score)) ?? 0;
	const distance = ({ opinion }: SampleJudgement) => Math.abs(scoreOf(opinion) - score);
	const [typical] = judged.toSorted((a, b) => distance(a) - distance(b));
	if (typical === undefined) throw new Error("No sample was asked for.");
	const { opinion, answered } = typical;
	const { reasoning } = opinion;
	const { gaps } = answered.answer;
	const isWithheld = repeatsExamples({ reasoning, gaps }, request);
	return {
		score,
		reasoning: isWithheld ? WITHHELD_REASONING : reasoning,
		evidence: opinion.evidence,
		checks: answered.answer.checks.map(({ check, found }) => ({ check: request.criterion.checks[check - 1] ?? "", found })),
		gaps: isWithheld ? [] : gaps,
		samples,
		cutFiles: answered.cutFiles,
		strippedCharacters: answered.strippedCharacters,
		...(injected.length === 0 ? {} : { injectedLines: toRanges(toLineSet(injected)) }),
	};
}

function withSignal(context: CriterionContext, signal: AbortSignal): CriterionContext {
	return { ...context, watch: { ...context.watch, signal: anySignal(context.watch.signal, signal) } };
}

function askAll(
	context: CriterionContext,
	places: readonly SamplePlace[],
	{ step, hidden }: { readonly step: string; readonly hidden: readonly LineRange[] },
): Promise<SampleAnswer[]> {
	return untilFirstFault(places, ({ index, model }, signal) =>
		askModel(withSignal(context, signal), { key: `${index}/${step}`, model, hidden }),
	);
}

/**
 * Settles an opinion. A level that the checks exclude, or that is higher than its quotes allow, is asked for once more. Then the checks
 * decide, and the quotes cap the level.
 */
async function settleOpinion(
	context: CriterionContext,
	{ place, answered, barred }: { readonly place: SamplePlace; readonly answered: SampleAnswer; readonly barred: readonly LineRange[] },
): Promise<Pick<SampleJudgement, "opinion" | "answered">> {
	const rule = { needsWork: needsWork(context) };
	const opinion = toOpinion(answered, barred);
	const notes = [
		...(contradictsChecks(answered.answer) ? [CHECKS_NOTE] : []),
		...(lacksProof(opinion, rule) ? [opinion.evidence.length === 0 ? PROOF_NOTE : WORK_NOTE] : []),
	];
	if (notes.length === 0) return { opinion, answered };
	const question = { key: `${place.index}/proof`, model: place.model, hidden: answered.hidden, note: notes.join("\n\n") };
	const second = await askModel(context, question);
	const flagged = [...barred, ...flaggedIn(context, second)];
	return { opinion: capUnproven(toOpinion(second, flagged), rule), answered: second };
}

/** Returns the first judgement if its level is lower than the settled one's, otherwise the settled one. */
function lowerOf(settled: Pick<SampleJudgement, "opinion" | "answered">, first: SampleAnswer | undefined, barred: readonly LineRange[]) {
	if (first === undefined) return settled;
	const opinion = toOpinion(first, barred);
	return opinion.level >= settled.opinion.level ? settled : { opinion, answered: first };
}

/** Documents cannot prove the work, unless they and their pictures are all that was submitted. */
function needsWork({ request: { criterion, files, unreadPaths } }: CriterionContext): boolean {
	const hasUnreadWork = unreadPaths.some((path) => !isMedia(path) && !isClaim(path, null));
	return criterion.evidence === "work" && (hasUnreadWork || files.some((file) => !file.isClaim));
}

/** Makes an opinion of an answer. The checks decide a level that they exclude. */
function toOpinion({ answer, shown, hidden }: SampleAnswer, barred: readonly LineRange[]): Opinion {
	const quotes = verifyEvidence(quotesOf(answer), shown, toLineSet([...barred, ...hidden]));
	return { level: decideByChecks(answer).level, reasoning: answer.reasoning, ...quotes, isCapped: false };
}
