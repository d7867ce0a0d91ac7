import * as z from "zod";
import { endpoint } from "../../http/endpoint.ts";

export const getHealth = endpoint({
	method: "get",
	path: "/health",
	operationId: "getHealth",
	summary: "See whether the service runs, and with which judge",
	description: "Answers without touching storage.",
	tags: ["Documentation"],
	auth: "none",
	rate: "none",
	response: {
		status: 200,
		description: "The service runs.",
		schema: z.object({
			status: z.literal("ok"),
			environment: z.enum(["development", "production"]),
			judge: z.string().meta({ description: "Name of the judge, or `not configured`: then tasks in mode llm or hybrid are refused." }),
			judge_models: z.array(z.string()).meta({ description: "Models that the judge asks." }),
		}),
	},
	errors: [],
});

export const getOpenApi = endpoint({
	method: "get",
	path: "/openapi.json",
	operationId: "getOpenApi",
	summary: "Read this document",
	description: "The OpenAPI 3.1 description of every endpoint.",
	tags: ["Documentation"],
	auth: "none",
	rate: "none",
	response: { status: 200, description: "The document.", schema: z.record(z.string(), z.unknown()) },
	errors: [],
});
