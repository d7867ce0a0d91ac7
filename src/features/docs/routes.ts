import { type Endpoint, handle } from "../../http/endpoint.ts";
import * as contract from "./contract.ts";
import { showText } from "./texts.ts";

export const docsEndpoints: readonly Endpoint[] = [
	handle(contract.getHealth, async ({ config, judge }) => {
		return {
			status: "ok" as const,
			environment: config.environment,
			judge: judge?.name ?? "not configured",
			judge_models: [...(judge?.models ?? [])],
		};
	}),
	handle(contract.getOpenApi, async (ctx) => showText(ctx, { path: "openapi.json", contentType: "application/json" })),
];
