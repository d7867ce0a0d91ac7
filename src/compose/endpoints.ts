import { competitionEndpoints } from "../core/competition/endpoints.ts";
import { eventEndpoints } from "../core/events/endpoints.ts";
import { identityEndpoints } from "../core/identity/endpoints.ts";
import { doorsEndpoints } from "../extensions/doors/endpoints.ts";
import { operatingEndpoints } from "../extensions/operating/endpoints.ts";
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
