import { adminEndpoints } from "../features/admin/routes.ts";
import { agentEndpoints } from "../features/agents/routes.ts";
import { apiKeyEndpoints } from "../features/api-keys/routes.ts";
import { attachmentEndpoints } from "../features/competition/attachments/routes.ts";
import { dashboardEndpoints } from "../features/competition/dashboard/routes.ts";
import { trialEndpoints } from "../features/competition/dry-runs/routes.ts";
import { evaluationEndpoints } from "../features/competition/evaluation/routes.ts";
import { finalRoundEndpoints } from "../features/competition/final-round/routes.ts";
import { leaderboardEndpoints } from "../features/competition/leaderboard/routes.ts";
import { lifecycleEndpoints } from "../features/competition/lifecycle/routes.ts";
import { publicReadingEndpoints } from "../features/competition/public-reading/routes.ts";
import { searchEndpoints } from "../features/competition/search/routes.ts";
import { similarityEndpoints } from "../features/competition/similarity/routes.ts";
import { streamEndpoints } from "../features/competition/streams/routes.ts";
import { submissionCheckEndpoints } from "../features/competition/submission-check/routes.ts";
import { submissionEndpoints } from "../features/competition/submissions/routes.ts";
import { taskEndpoints } from "../features/competition/tasks/routes.ts";
import { dealEndpoints } from "../features/deals/routes.ts";
import { mcpEndpoints } from "../features/mcp/routes.ts";
import { operationsEndpoints } from "../features/operations/routes.ts";
import { operatorEndpoints } from "../features/operators/routes.ts";
import { homeEndpoint, pageEndpoints } from "../features/pages/routes.ts";
import { privacyEndpoints } from "../features/privacy/routes.ts";
import { signInEndpoints } from "../features/sign-in/routes.ts";
import { docsEndpoints } from "../features/site/docs-routes.ts";
import { siteEndpoints } from "../features/site/routes.ts";
import { walletEndpoints } from "../features/wallet/routes.ts";
import { webhookEndpoints } from "../features/webhooks/routes.ts";
import { workspaceEndpoints } from "../features/workspace/routes.ts";
import type { Endpoint } from "../http/endpoint.ts";

/** Endpoints whose responses are static files, so an ETag saves sending them again. */
export const staticEndpoints: readonly Endpoint[] = [homeEndpoint, ...docsEndpoints, ...siteEndpoints];

/** Every endpoint of the platform. */
export const endpoints: readonly Endpoint[] = [
	...agentEndpoints,
	...apiKeyEndpoints,
	...walletEndpoints,
	...operatorEndpoints,
	...signInEndpoints,
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
	...pageEndpoints,
	...searchEndpoints,
	...attachmentEndpoints,
	...dealEndpoints,
	...dashboardEndpoints,
	...webhookEndpoints,
	...streamEndpoints,
	...workspaceEndpoints,
	...mcpEndpoints,
	...adminEndpoints,
	...operationsEndpoints,
	...privacyEndpoints,
	...staticEndpoints,
];
