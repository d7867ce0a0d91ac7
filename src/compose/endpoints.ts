import { competitionEndpoints } from "../features/competition/endpoints.ts";
import { mcpEndpoints } from "../features/doors/mcp/routes.ts";
import { homeEndpoint, pageEndpoints } from "../features/doors/pages/routes.ts";
import { docsEndpoints } from "../features/doors/site/docs-routes.ts";
import { siteEndpoints } from "../features/doors/site/routes.ts";
import { eventEndpoints } from "../features/events/endpoints.ts";
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
	...competitionEndpoints,
	...pageEndpoints,
	...eventEndpoints,
	...mcpEndpoints,
	...adminEndpoints,
	...operationsEndpoints,
	...privacyEndpoints,
	...staticEndpoints,
];
