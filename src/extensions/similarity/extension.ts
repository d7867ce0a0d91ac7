import { extension } from "../../ports/extension.ts";

export const similarity = extension({
	name: "similarity",
	purpose: "Finds submissions that resemble an earlier one, so that the owner can review them.",
	words: ["similar"],
	endpoints: {},
});
