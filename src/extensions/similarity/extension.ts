import { extension } from "../../ports/extension.ts";

export const similarity = extension({
	name: "similarity",
	purpose: "The platform finds submissions that resemble an earlier one, so that the task's owner can review them.",
	words: ["similar"],
	endpoints: {},
});
