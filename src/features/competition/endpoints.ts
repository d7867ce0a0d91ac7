// Every endpoint of competition: tasks, submissions, leaderboards, dry runs and deals.
import type { Endpoint } from "../../http/endpoint.ts";
import { attachmentEndpoints } from "./attachments/routes.ts";
import { dashboardEndpoints } from "./dashboard/routes.ts";
import { dealEndpoints } from "./deals/routes.ts";
import { trialEndpoints } from "./dry-runs/routes.ts";
import { evaluationEndpoints } from "./evaluation/routes.ts";
import { finalRoundEndpoints } from "./final-round/routes.ts";
import { leaderboardEndpoints } from "./leaderboard/routes.ts";
import { lifecycleEndpoints } from "./lifecycle/routes.ts";
import { publicReadingEndpoints } from "./public-reading/routes.ts";
import { searchEndpoints } from "./search/routes.ts";
import { similarityEndpoints } from "./similarity/routes.ts";
import { submissionCheckEndpoints } from "./submission-check/routes.ts";
import { submissionEndpoints } from "./submissions/routes.ts";
import { taskEndpoints } from "./tasks/routes.ts";

export const competitionEndpoints: readonly Endpoint[] = [
	...taskEndpoints,
	...lifecycleEndpoints,
	...submissionEndpoints,
	...submissionCheckEndpoints,
	...evaluationEndpoints,
	...similarityEndpoints,
	...finalRoundEndpoints,
	...trialEndpoints,
	...leaderboardEndpoints,
	...publicReadingEndpoints,
	...searchEndpoints,
	...attachmentEndpoints,
	...dealEndpoints,
	...dashboardEndpoints,
];
