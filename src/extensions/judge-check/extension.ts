import { extension } from "../../ports/extension.ts";

export const judgeCheck = extension({
	name: "judge-check",
	purpose: "After a task is published, the platform has worthless submissions judged, and shows whether the judge is fooled by them.",
	requires: ["dry-runs"],
	words: ["judge_check", "judgeCheck"],
	endpoints: {},
});
