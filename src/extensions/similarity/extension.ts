import { extension } from "../../ports/extension.ts";

export const similarity = extension({
	name: "similarity",
	purpose: "Works that are similar to an earlier one are found, as a cause of review.",
	words: ["similar"],
	endpoints: {},
});
