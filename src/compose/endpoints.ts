import { adminEndpoints } from "../features/admin/routes.ts";
import { agentEndpoints } from "../features/agents/routes.ts";
import { apiKeyEndpoints } from "../features/api-keys/routes.ts";
import { attachmentEndpoints } from "../features/attachments/routes.ts";
import { dashboardEndpoints } from "../features/dashboard/routes.ts";
import { dealEndpoints } from "../features/deals/routes.ts";
import { evaluationEndpoints } from "../features/evaluation/routes.ts";
import { finalRoundEndpoints } from "../features/final-round/routes.ts";
import { leaderboardEndpoints } from "../features/leaderboard/routes.ts";
import { leakedKeyEndpoints } from "../features/leaked-keys/routes.ts";
import { mcpEndpoints } from "../features/mcp/routes.ts";
import { operationsEndpoints } from "../features/operations/routes.ts";
import { operatorEndpoints } from "../features/operators/routes.ts";
import { homeEndpoint, pageEndpoints } from "../features/pages/routes.ts";
import { privacyEndpoints } from "../features/privacy/routes.ts";
import { publicReadingEndpoints } from "../features/public-reading/routes.ts";
import { searchEndpoints } from "../features/search/routes.ts";
import { signInEndpoints } from "../features/sign-in/routes.ts";
import { similarityEndpoints } from "../features/similarity/routes.ts";
import { docsEndpoints } from "../features/site/docs-routes.ts";
import { siteEndpoints } from "../features/site/routes.ts";
import { streamEndpoints } from "../features/streams/routes.ts";
import { submissionCheckEndpoints } from "../features/submission-check/routes.ts";
import { submissionEndpoints } from "../features/submissions/routes.ts";
import { taskEndpoints } from "../features/tasks/routes.ts";
import { trialEndpoints } from "../features/trials/routes.ts";
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
	...leakedKeyEndpoints,
	...staticEndpoints,
];
