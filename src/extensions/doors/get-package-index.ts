import * as z from "zod";
import { OPEN_READ } from "../../core/docs/built-text.ts";
import { EXAMPLE_ORIGIN } from "../../domain/example-story.ts";
import { endpoint, REVALIDATED } from "../../http/endpoint.ts";
import { addressOf, listBuiltPackages } from "./package-index.ts";

const INTEGRITY = "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==";

export const getPackageIndex = endpoint({
	...OPEN_READ,
	path: "/packages/index.json",
	operationId: "getPackageIndex",
	owner: "doors",
	summary: "List the packages of this deployment",
	description: "The TypeScript SDK, the command line and the Python package, under URLs whose content never changes.",
	response: {
		...REVALIDATED,
		status: 200,
		description: "The packages.",
		schema: z
			.object({
				packages: z
					.array(
						z.object({
							name: z.string().describe("The package's name in its language."),
							version: z.string().describe("The version. Its last part is a digest of the content."),
							url: z.string().describe("The absolute URL to install from."),
							integrity: z.string().describe("The SHA-512 of the bytes, in the format of npm lock files."),
						}),
					)
					.describe("The SDK, the command line and the Python package, in this order."),
			})
			.meta({ id: "PackageIndex", description: "The packages that a deployment serves." }),
	},
	errors: [],
	page: "guides/sdk",
	examples: {
		responses: {
			listed: {
				value: {
					packages: [
						{
							name: "@bounty-platform/sdk",
							version: "1.0.0-3f2a9c04b1d7",
							url: `${EXAMPLE_ORIGIN}/packages/sdk-1.0.0-3f2a9c04b1d7.tgz`,
							integrity: INTEGRITY,
						},
					],
				},
			},
		},
	},

	async handle(ctx) {
		const packages = await listBuiltPackages(ctx);
		return { packages: packages.map(({ name, version, file, integrity }) => ({ name, version, url: addressOf(ctx, file), integrity })) };
	},
});
