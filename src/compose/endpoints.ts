import { competitionEndpoints } from "../features/competition/endpoints.ts";
import { doorsEndpoints } from "../features/doors/endpoints.ts";
import { eventEndpoints } from "../features/events/endpoints.ts";
import { identityEndpoints } from "../features/identity/endpoints.ts";
import { operatingEndpoints } from "../features/operating/endpoints.ts";
import type { Endpoint } from "../http/endpoint.ts";

/** Each endpoint has the name of its operation. The platform has no other endpoints. */
export const operations = {
	...identityEndpoints,
	...competitionEndpoints,
	...eventEndpoints,
	...operatingEndpoints,
	...doorsEndpoints,
};

export type OperationId = keyof typeof operations;

export const endpoints: readonly Endpoint[] = Object.values(operations);
