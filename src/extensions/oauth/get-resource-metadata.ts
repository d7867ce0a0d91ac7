import * as z from "zod";
import { SCOPES } from "../../domain/actor.ts";
import { AppError } from "../../domain/errors.ts";
import { EXAMPLE_ORIGIN } from "../../domain/example-story.ts";
import { endpoint } from "../../http/endpoint.ts";
import { MCP_PATH } from "../mcp/rules.ts";
import { RESOURCE_METADATA_PATH, SIGNED_IN_MCP_PATH } from "./rules.ts";

const resourceMetadata = z
	.object({
		resource: z.string().describe("The resource. All resources of this deployment accept the same tokens."),
		authorization_servers: z.array(z.string()).describe("The issuer, which is this deployment."),
		scopes_supported: z.array(z.enum(SCOPES)).describe("The scopes. `act` includes `read`."),
		bearer_methods_supported: z.array(z.string()).describe("Only `header`."),
		resource_name: z.string().describe("The resource's name for people."),
	})
	.meta({ id: "ResourceMetadata", description: "The issuer that a resource trusts." });

const READ = {
	method: "get",
	owner: "oauth",
	tags: ["OAuth"],
	auth: "none",
	rate: "none",
	shared: { seconds: 300, of: "deployment" },
	page: "guides/connect-a-program",
} as const;

export const getResourceMetadata = endpoint({
	...READ,
	path: RESOURCE_METADATA_PATH,
	operationId: "getResourceMetadata",
	summary: "Find out which issuer the API trusts",
	description: "Protected resource metadata (RFC 9728) of the whole deployment. 401 responses link to it in `WWW-Authenticate`.",
	response: { status: 200, description: "The metadata.", schema: resourceMetadata },
	errors: [],
	examples: { responses: { metadata: { value: describeResource(EXAMPLE_ORIGIN, "") } } },

	handle: async ({ baseUrl }) => describeResource(baseUrl, ""),
});

export const getPathResourceMetadata = endpoint({
	...READ,
	path: `${RESOURCE_METADATA_PATH}/{path}`,
	operationId: "getPathResourceMetadata",
	summary: "Find out which issuer an MCP server trusts",
	description: `Protected resource metadata (RFC 9728) of the MCP servers, \`${MCP_PATH}\` and \`${SIGNED_IN_MCP_PATH}\`.`,
	params: z.object({ path: z.string().max(100).describe("The path of the server, without its first slash.") }),
	greedyParam: "path",
	response: { status: 200, description: "The metadata.", schema: resourceMetadata },
	errors: ["NOT_FOUND"],
	examples: { params: { path: "mcp" }, responses: { metadata: { value: describeResource(EXAMPLE_ORIGIN, MCP_PATH) } } },

	async handle({ baseUrl }, { params }) {
		const path = `/${params.path}`;
		if (path !== MCP_PATH && path !== SIGNED_IN_MCP_PATH) throw new AppError("NOT_FOUND");
		return describeResource(baseUrl, path);
	},
});

function describeResource(baseUrl: string, path: string) {
	return {
		resource: baseUrl + path,
		authorization_servers: [baseUrl],
		scopes_supported: [...SCOPES],
		bearer_methods_supported: ["header"],
		resource_name: "Bounty Platform",
	};
}
