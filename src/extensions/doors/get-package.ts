import * as z from "zod";
import { OPEN_READ } from "../../core/docs/built-text.ts";
import { AppError } from "../../domain/errors.ts";
import { endpoint } from "../../http/endpoint.ts";
import type { PublicCtx } from "../../ports/deps.ts";
import { addressOf, type BuiltPackage, listBuiltPackages, UNVERSIONED } from "./package-index.ts";

/** Names that a deployment's packages can have. */
const FILE = /^(?:(?:sdk|cli)-[\w.-]{1,60}\.tgz|bounty_platform-[\w.+]{1,60}-py3-none-any\.whl)$/;
/** The folder of stored packages, which are never deleted, because lock files refer to them. */
const FOLDER = "packages/";

export const getPackage = endpoint({
	...OPEN_READ,
	path: "/packages/{file}",
	// Greedy, because with a one-segment parameter next to /packages/index.json, the router could not use a single regular expression.
	greedyParam: "file",
	operationId: "getPackage",
	owner: "doors",
	summary: "Download a package",
	description:
		"The TypeScript SDK (`sdk-<version>.tgz`), the command line (`cli-<version>.tgz`) or the Python package under its own name, as listed by `GET /packages/index.json`. The content at such a URL never changes, and packages of earlier deployments stay, so lock files keep working. `sdk.tgz`, `cli.tgz` and `python.whl` redirect to the current packages, so do not use them in a lock file.",
	params: z.object({ file: z.string().max(200).describe("The name of the file.") }),
	response: {
		status: 200,
		description: "The package.",
		schema: z.string(),
		contentType: "application/octet-stream",
		headers: { ETag: "Version of the bytes.", "Cache-Control": "How long you may cache them." },
		others: [
			{ status: 302, description: "Redirects to the current package with that name.", isEmpty: true },
			{ status: 304, description: "The package still has the ETag that you sent." },
		],
	},
	errors: ["NOT_FOUND"],
	page: "guides/sdk",
	examples: { params: { file: "sdk-1.0.0-3f2a9c04b1d7.tgz" } },

	async handle(ctx, { params: { file } }) {
		const built = await listBuiltPackages(ctx);
		if (UNVERSIONED.some((name) => name === file)) {
			const currentPackage = built.find(({ builtAs }) => builtAs === file);
			const headers = { Location: addressOf(ctx, currentPackage?.file ?? ""), "Cache-Control": "no-cache" };
			return new Response(null, { status: 302, headers });
		}
		const packageFile = FILE.test(file) ? await findStored(ctx, { file, built }) : null;
		if (packageFile === null)
			throw new AppError("NOT_FOUND", { message: "No package has this name. GET /packages/index.json lists the current ones." });
		const headers = {
			"Content-Type": "application/octet-stream",
			"Content-Length": String(packageFile.size),
			"Cache-Control": "public, max-age=31536000, immutable",
			ETag: packageFile.httpEtag,
		};
		return new Response(packageFile.body, { headers });
	},
});

/**
 * Returns a package from the bucket. The first request for a package of this deployment stores it there, so that its URL outlives the
 * deployment. The bytes that are stored under a name never change.
 */
async function findStored(ctx: PublicCtx, { file, built }: { file: string; built: readonly BuiltPackage[] }): Promise<R2ObjectBody | null> {
	const key = FOLDER + file;
	const storedFile = await ctx.bucket.get(key);
	if (storedFile !== null) return storedFile;
	const builtPackage = built.find((each) => each.file === file);
	if (builtPackage === undefined) return null;
	const asset = await ctx.assets.find(`packages/${builtPackage.builtAs}`);
	if (asset === null) return null;
	await ctx.bucket.put(key, await asset.arrayBuffer(), { onlyIf: { etagDoesNotMatch: "*" } });
	return ctx.bucket.get(key);
}
