import { competitionEndpoints } from "../core/competition/endpoints.ts";
import { docsEndpoints } from "../core/docs/endpoints.ts";
import { eventEndpoints } from "../core/events/endpoints.ts";
import { healthEndpoints } from "../core/health/endpoints.ts";
import { identityEndpoints } from "../core/identity/endpoints.ts";

export const coreOperations = {
	...identityEndpoints,
	...competitionEndpoints,
	...eventEndpoints,
	...docsEndpoints,
	...healthEndpoints,
};
