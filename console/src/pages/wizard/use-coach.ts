// Asks the rubric coach, and keeps its reply while the page is open.
import { skipToken, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../api/client.ts";
import type { Coaching } from "../../rules/coach.ts";
import type { CriterionDraft } from "../../rules/rubric.ts";
import { loadLocalJudge } from "./lint-draft.ts";
import type { Wizard } from "./use-wizard.ts";

const loadActs = () => import("../../rules/coaching.ts");
type Acts = Awaited<ReturnType<typeof loadActs>>;

export interface Coach {
	/** The coach's last reply. Null before the first request. */
	readonly coaching: Coaching | null;
	/** What the last request did. */
	readonly outcome: string;
	/** The criteria that just got new checks, so that they are expanded. */
	readonly filledKeys: readonly string[];
	readonly isAsking: boolean;
	readonly error: Error | null;
	/** Asks the coach about the whole rubric. */
	ask(): void;
	/** Replaces the checks of a criterion with those that the coach proposed. */
	take(criterion: CriterionDraft): void;
	/**
	 * Replaces the checks of a criterion with checks for its current description. Asks the coach only if it has not read that description.
	 */
	renew(criterion: CriterionDraft): void;
}

/** The coach is the platform's model, or a set of rules. For visitors, the rules run in the browser. */
export function useCoach(wizard: Wizard): Coach {
	const queries = useQueryClient();
	const queryKey = ["coaching", wizard.task?.id ?? "visitor"];
	const { data: coaching = null } = useQuery<Coaching>({ queryKey, queryFn: skipToken });
	const [outcome, setOutcome] = useState("");
	const [filledKeys, setFilledKeys] = useState<readonly string[]>([]);
	const { criteria } = wizard.draft;
	const replace = (key: string, said: Coaching, { adviceOn, takeChecks }: Acts) => {
		const renewed = criteria.map((criterion) => {
			const advice = criterion.key === key ? adviceOn(criterion, said) : null;
			return advice === null ? criterion : takeChecks(criterion, advice);
		});
		wizard.change({ criteria: renewed });
		setFilledKeys([key]);
		setOutcome("");
	};
	const fill = (said: Coaching, { describeCoaching, fillEmpty }: Acts) => {
		const filled = fillEmpty(criteria, said);
		if (filled.filledKeys.length > 0) wizard.change({ criteria: filled.criteria });
		setFilledKeys(filled.filledKeys);
		setOutcome(describeCoaching(filled.sources, criteria.length - filled.filledKeys.length));
	};
	const asking = useMutation({
		mutationFn: async (_key: string | null) => ({ acts: await loadActs(), said: await askAbout(wizard) }),
		scope: wizard.saving,
		onSuccess: ({ acts, said }, key) => {
			queries.setQueryData(queryKey, said);
			if (key === null) fill(said, acts);
			else replace(key, said, acts);
		},
	});
	return {
		...{ coaching, outcome, filledKeys, isAsking: asking.isPending, error: asking.error },
		ask: () => asking.mutate(null),
		take: ({ key }) => void loadActs().then((acts) => coaching !== null && replace(key, coaching, acts)),
		renew(criterion) {
			void loadActs().then((acts) => {
				const advice = coaching === null ? null : acts.adviceOn(criterion, coaching);
				if (coaching !== null && advice !== null && acts.isCurrent(advice, criterion)) replace(criterion.key, coaching, acts);
				else asking.mutate(criterion.key);
			});
		},
	};
}

async function askAbout(wizard: Wizard): Promise<Coaching> {
	const { criteria } = wizard.draft;
	const said = wizard.isVisitor
		? { criteria: (await loadLocalJudge()).proposeHere(wizard.draft) }
		: await api.compileRubric(await wizard.save());
	const read = new Map(criteria.map(({ name, description }) => [name.trim(), description] as const));
	return {
		advice: said.criteria.map(({ name, checks, evidence, notes, source }) => {
			return { name, description: read.get(name) ?? "", checks, evidence, notes, source };
		}),
	};
}
