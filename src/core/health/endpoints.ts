import type { Endpoint } from "../../http/endpoint.ts";
import { getHealth } from "./get-health.ts";
import { getReadiness } from "./get-readiness.ts";

export const healthEndpoints = {
	getHealth,
	getReadiness,
} satisfies Record<string, Endpoint>;
