import { extension } from "../../ports/extension.ts";

export const judgeCheck = extension({
	name: "judge-check",
	purpose: "After publishing, the platform judges works that earn nothing, and shows whether the judge falls for them.",
	requires: ["dry-runs"],
	words: ["judge_check", "judgeCheck"],
	endpoints: {},
});
