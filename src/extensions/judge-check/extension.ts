import { extension } from "../../ports/extension.ts";

export const judgeCheck = extension({
	name: "judge-check",
	purpose: "After a task is published, the platform gives its judge worthless submissions, and shows whether the judge is fooled.",
	requires: ["dry-runs"],
	words: ["judge_check", "judgeCheck"],
	endpoints: {},
});
