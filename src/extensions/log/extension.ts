import { extension } from "../../ports/extension.ts";
import { getPublicHistory } from "./get-public-history.ts";

export const log = extension({
	name: "log",
	purpose: "Everyone reads what has happened to a task since it was published.",
	requires: ["settlement"],
	words: ["PublicHistory"],
	endpoints: {
		getPublicHistory,
	},
});
