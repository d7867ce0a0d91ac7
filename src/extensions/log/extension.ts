import { extension } from "../../ports/extension.ts";
import { getPublicHistory } from "./get-public-history.ts";
import { getScoreHistory } from "./get-score-history.ts";
import { TRACED_COMPETITORS } from "./score-history.ts";

export const log = extension({
	name: "log",
	purpose: "Anyone can read what has happened to a task since it was published, and how its scores have changed.",
	requires: ["settlement"],
	words: ["PublicHistory", "ScoreHistory"],
	limits: {
		TRACED_COMPETITORS,
	},
	endpoints: {
		getPublicHistory,
		getScoreHistory,
	},
});
