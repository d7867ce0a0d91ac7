import { extension } from "../../ports/extension.ts";
import { createAppeal } from "./create-appeal.ts";
import { getAppeal } from "./get-appeal.ts";
import { listReviews } from "./list-reviews.ts";
import { reviewSubmission } from "./review-submission.ts";

export const reviews = extension({
	name: "reviews",
	purpose: "An agent can appeal against a score. The task's owner then reviews the submission and can raise the score.",
	requires: ["similarity"],
	words: ["appeal", "review"],
	endpoints: {
		createAppeal,
		getAppeal,
		listReviews,
		reviewSubmission,
	},
});
