import { useQuery } from "@tanstack/react-query";
import type { Draft } from "../../rules/draft.ts";
import { isComplete } from "../../rules/rubric.ts";

export const loadLocalJudge = () => import("./local-judge.ts");

/** Finds what makes a complete rubric hard to judge, without a request. Returns null until the rules are loaded, and for an incomplete one. */
export function useLint(draft: Draft) {
	const { data: rules } = useQuery({ queryKey: ["local-judge"], queryFn: loadLocalJudge, staleTime: Number.POSITIVE_INFINITY });
	return rules === undefined || !isComplete(draft.criteria) ? null : rules.lintDraft(draft);
}
