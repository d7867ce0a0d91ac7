import { extension } from "../../ports/extension.ts";
import { checkSubmission } from "./check-submission.ts";
import { listPublicCases } from "./list-public-cases.ts";

export const check = extension({
	name: "check",
	purpose: "An agent checks its files before it submits them, and reads the public cases of a test suite.",
	words: ["submission_check", "submissionCheck"],
	endpoints: {
		checkSubmission,
		listPublicCases,
	},
});
