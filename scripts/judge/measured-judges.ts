// Makes the judges that a calibration compares: each configured model with and without confirmation, and for 1, 2 and all checks a call.
import type { ModelJudgeSettings } from "../../src/config/judge-settings.ts";
import { CHECKS_BOUNDS, type CheckSample, criterionScore, sampleScore } from "../../src/domain/checks.ts";
import type { CallDeps } from "../../src/features/judging/engine/calling.ts";
import { evaluateByModels } from "../../src/features/judging/engine/evaluating.ts";
import { PROMPT_VERSION } from "../../src/features/judging/engine/prompts.ts";
import { offlineJudge } from "../../src/features/judging/model/offline.ts";
import type { CriterionBrief, EvaluationRequest } from "../../src/ports/check-judge.ts";
import type { MeasuredJudge } from "./measuring.ts";

/** The platform asks this many checks a call, so this is measured first. Null asks all. */
const CHECKS_PER_CALL = [2, 1, null] as const;

type ReachableModels = Pick<
	ModelJudgeSettings,
	"baseUrl" | "apiKey" | "prices" | "models" | "responseFormat" | "outputLimit" | "maxInputCharacters"
>;

export function measuredJudges(deps: CallDeps, settings: ReachableModels): MeasuredJudge[] {
	return settings.models.flatMap((model) =>
		CHECKS_PER_CALL.flatMap((checksPerCall) =>
			[true, false].map((isConfirming): MeasuredJudge => {
				const engine = {
					...{ ...settings, models: [model], isConfirming, checksPerCall: checksPerCall ?? CHECKS_BOUNDS.perCriterion },
					...{ temperature: null, confirmModel: null, callsAtOnce: null },
				};
				return {
					...{ model, isConfirming, checksPerCall },
					judge: {
						promptVersion: PROMPT_VERSION,
						evaluate: (request, attempt) => evaluateByModels(deps, engine, { request, attempt }),
						findWholeChecks: (criteria) => Promise.resolve(criteria.map(({ wholeChecks }) => wholeChecks)),
					},
				};
			}),
		),
	);
}

/** The offline judge asks nobody, so there is nothing to compare. */
export const measuredOffline: MeasuredJudge = {
	...{ model: "offline", isConfirming: false, checksPerCall: null },
	judge: {
		promptVersion: offlineJudge.promptVersion,
		async evaluate(request) {
			const criteria = await Promise.all(request.criteria.map((criterion) => answerOffline(request, criterion)));
			const quoted = criteria.flatMap(({ checks }) => checks).filter(({ found }) => found === "yes" || found === "partly").length;
			const judged = { models: [], confirmedBy: null, cutFiles: [], strippedCharacters: 0, quotes: { claimed: quoted, real: quoted } };
			return { kind: "finished", judgement: { ...judged, criteria } };
		},
		findWholeChecks: (criteria) => Promise.resolve(criteria.map(() => [])),
	},
};

async function answerOffline(request: EvaluationRequest, criterion: CriterionBrief) {
	const task = { ...request.task, budgetCents: 0, isPosterVerified: false };
	const files = request.files.map(({ path, text }) => ({ path, text, isClaim: /^(?:SUBMISSION|README)\.md$/.test(path) }));
	const { unreadPaths, missingSections } = request;
	const verdict = await offlineJudge.judgeCriterion({
		task,
		criterion: { ...criterion, anchors: null },
		files,
		unreadPaths,
		missingSections,
	});
	const found = criterion.checks.map((check) => verdict.checks.find((one) => one.check === check)?.found ?? "no");
	const samples: CheckSample[] = Array.from({ length: request.samples }, () => ({ model: "offline", found, score: sampleScore(found) }));
	const checks = criterion.checks.map((check, index) => ({ check, found: found[index] ?? "no", evidence: [] }));
	const { name } = criterion;
	return { name, score: criterionScore(samples), checks, samples, gaps: [], reasoning: verdict.reasoning, isInjectionSuspected: false };
}
