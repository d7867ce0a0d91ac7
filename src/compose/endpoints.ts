import { attachmentEndpoints } from "../features/competition/attachments/routes.ts";
import { dashboardEndpoints } from "../features/competition/dashboard/routes.ts";
import { dealEndpoints } from "../features/competition/deals/routes.ts";
import { trialEndpoints } from "../features/competition/dry-runs/routes.ts";
import { evaluationEndpoints } from "../features/competition/evaluation/routes.ts";
import { finalRoundEndpoints } from "../features/competition/final-round/routes.ts";
import { leaderboardEndpoints } from "../features/competition/leaderboard/routes.ts";
import { lifecycleEndpoints } from "../features/competition/lifecycle/routes.ts";
import { publicReadingEndpoints } from "../features/competition/public-reading/routes.ts";
import { searchEndpoints } from "../features/competition/search/routes.ts";
import { similarityEndpoints } from "../features/competition/similarity/routes.ts";
import { submissionCheckEndpoints } from "../features/competition/submission-check/routes.ts";
import { submissionEndpoints } from "../features/competition/submissions/routes.ts";
import { taskEndpoints } from "../features/competition/tasks/routes.ts";
import { mcpEndpoints } from "../features/doors/mcp/routes.ts";
import { homeEndpoint, pageEndpoints } from "../features/doors/pages/routes.ts";
import { docsEndpoints } from "../features/doors/site/docs-routes.ts";
import { siteEndpoints } from "../features/doors/site/routes.ts";
import { streamEndpoints } from "../features/events/streams/routes.ts";
import { webhookEndpoints } from "../features/events/webhooks/routes.ts";
import { identityEndpoints } from "../features/identity/endpoints.ts";
import { adminEndpoints } from "../features/operating/admin/routes.ts";
import { operationsEndpoints } from "../features/operating/operations/routes.ts";
import { privacyEndpoints } from "../features/operating/privacy/routes.ts";
import type { Endpoint } from "../http/endpoint.ts";

/** Endpoints whose responses are static files, so an ETag saves sending them again. */
export const staticEndpoints: readonly Endpoint[] = [homeEndpoint, ...docsEndpoints, ...siteEndpoints];

/** Every endpoint of the platform. */
export const endpoints: readonly Endpoint[] = [
	...identityEndpoints,
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
	...mcpEndpoints,
	...adminEndpoints,
	...operationsEndpoints,
	...privacyEndpoints,
	...staticEndpoints,
];
