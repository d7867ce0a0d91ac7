import openApiDocument from "../../../docs/openapi.json" with { type: "json" };
import { type Endpoint, handle } from "../../http/endpoint.ts";
import * as contract from "./contract.ts";

export const docsEndpoints: readonly Endpoint[] = [
	handle(contract.getHealth, async ({ config, judge }) => {
		return {
			status: "ok" as const,
			environment: config.environment,
			judge: judge?.name ?? "not configured",
			judge_models: [...(judge?.models ?? [])],
		};
	}),
	handle(contract.getOpenApi, async () => openApiDocument),
];
