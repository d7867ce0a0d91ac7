// The rules that propose checks, and the offline judge. They run in the browser and send nothing. They are loaded when a visitor asks for
// them.

import { readTexts } from "../../../../src/core/judging/artifacts/reading.ts";
import { describeProposal, fitProposals, proposeByRules, withChecks } from "../../../../src/core/judging/checks/criterion-checks.ts";
import { offlineJudge } from "../../../../src/core/judging/engine/offline.ts";
import { scoreJudgement } from "../../../../src/core/judging/modes/judged-work.ts";
import { type Draft, hasFinalRound } from "../../rules/draft.ts";
import type { PickedFile } from "../../rules/picked-file.ts";
import { toCriteria } from "../../rules/rubric.ts";

/** Proposes checks: the sentences and list items of the descriptions. */
export function proposeHere(draft: Draft) {
	const criteria = toCriteria(draft.criteria, hasFinalRound(draft));
	return fitProposals(proposeByRules(criteria), 0).flatMap((proposal, index) => {
		const criterion = criteria[index];
		return criterion === undefined ? [] : [describeProposal(proposal, { criterion, outputSpec: draft.outputSpec, wholeChecks: [] })];
	});
}

/** Scores files with the offline judge, which compares the words of each check with those of the files. */
export async function judgeHere(draft: Draft, picked: readonly PickedFile[]) {
	const criteria = withChecks(toCriteria(draft.criteria, hasFinalRound(draft)));
	const sources = picked.map(({ path, file }) => ({
		path,
		bytes: file.size,
		isWithinReach: () => true,
		read: async () => new Uint8Array(await file.arrayBuffer()),
	}));
	const { files, unreadPaths } = await readTexts(sources);
	const request = {
		task: { title: draft.title, description: draft.description, inputSpec: draft.inputSpec, outputSpec: draft.outputSpec, attachments: [] },
		criteria: criteria.map(({ name, description, checks, evidence }) => ({
			...{ name, description, checks, wholeChecks: [] },
			evidence: evidence ?? ("work" as const),
		})),
		files,
		unreadPaths,
		missingSections: [],
		facts: [],
		samples: 1,
	};
	const outcome = await offlineJudge.evaluate(request, { requestId: null, onCall: () => {}, kept: null, keep: () => {} });
	if (outcome.kind !== "finished") throw new Error("The offline judge did not finish.");
	const { llmScore, dimensions } = scoreJudgement(offlineJudge, outcome.judgement, { request, criteria, used: [] });
	return { score: llmScore, dimensions, unreadPaths };
}
