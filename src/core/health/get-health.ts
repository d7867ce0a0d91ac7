import * as z from "zod";
import { modesWith } from "../../domain/modes.ts";
import { endpoint, Reply } from "../../http/endpoint.ts";
import { OPEN_READ } from "../docs/built-text.ts";
import { DISCOVERY_LINKS } from "../docs/rules.ts";

export const getHealth = endpoint({
	...OPEN_READ,
	path: "/health",
	operationId: "getHealth",
	summary: "Check whether the service is running, and with which judge and grader",
	description: "Does not touch storage.",
	response: {
		status: 200,
		description: "The service is running.",
		schema: z.object({
			status: z.literal("ok").describe("Always `ok`: the service is running."),
			environment: z
				.enum(["development", "production"])
				.describe("`development` uses an offline judge and allows http URLs on the local machine."),
			judge: z
				.string()
				.describe(
					`The name of the judge. With \`not configured\`, tasks in the modes ${modesWith("usesJudge").join(" and ")} are rejected.`,
				),
			judge_models: z.array(z.string()).describe("The models that the judge uses."),
			grader: z
				.enum(["container", "url", "not configured"])
				.describe(
					`Where posters' images run. With \`not configured\`, submissions in the modes ${modesWith("usesImage").join(" and ")} end as \`evaluation_failed\`.`,
				),
		}),
		headers: { Link: "Links to descriptions of the API, each with a registered link relation (`rel`)." },
	},
	errors: [],
	examples: {
		responses: {
			running: {
				value: { status: "ok", environment: "production", judge: "openai-compatible", judge_models: ["judge-large"], grader: "container" },
			},
		},
	},

	async handle({ config, judge }) {
		const state = {
			status: "ok" as const,
			environment: config.environment,
			judge: judge?.name ?? "not configured",
			judge_models: [...(judge?.models ?? [])],
			grader: config.grader?.kind ?? ("not configured" as const),
		};
		return new Reply(state, { Link: DISCOVERY_LINKS });
	},
});
