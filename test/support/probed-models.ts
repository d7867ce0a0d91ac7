// Plays a model that passes the probe, and one that does not.
import { PROBE_PAIRS } from "../../src/core/judging/engine/probe-material.ts";
import { answer, type ModelPrompt } from "./model-prompts.ts";

const pairOf = (call: ModelPrompt) => PROBE_PAIRS.find(({ check }) => call.checks.some(({ text }) => text === check));

/** Answers the probe rightly, and everything else with yes. */
export const able = (call: ModelPrompt): Record<string, unknown> => {
	const pair = pairOf(call);
	if (pair === undefined) return answer(call);
	const isHonest =
		call.user.includes(pair.honest.line.trim()) && (pair.check.includes("total") ? !call.user.includes("# returns 0") : true);
	if (call.isConfirmation) return answer(call, isHonest ? "yes" : "no");
	const evidence = [{ path: pair.honest.path, quote: pair.honest.line.trim() }];
	return { ...answer(call, "no"), check_1: { evidence: isHonest ? evidence : [], found: isHonest ? "yes" : "no" } };
};
/** Says yes to everything, and invents its quotes, as a model of 135 million parameters does. */
export const unable = (call: ModelPrompt): Record<string, unknown> =>
	call.isConfirmation
		? answer(call)
		: { ...answer(call), check_1: { evidence: [{ path: "src/a.py", quote: "the function is correct" }], found: "yes" } };
