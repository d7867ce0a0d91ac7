// The packages of this deployment, as its build has listed them.
import * as z from "zod";
import type { PublicCtx } from "../../ports/deps.ts";

/** URLs without a version redirect to the packages under these names. */
export const UNVERSIONED = ["sdk.tgz", "cli.tgz", "python.whl"] as const;

/** scripts/site/packages.ts writes it. */
const packageIndexFile = z.object({
	packages: z.array(
		z.object({
			name: z.string(),
			version: z.string(),
			/** The last part of its URL, which has the version. */
			file: z.string(),
			/** The built file has this name, because static files have no `+` in theirs. */
			builtAs: z.enum(UNVERSIONED),
			integrity: z.string(),
		}),
	),
});

export type BuiltPackage = z.output<typeof packageIndexFile>["packages"][number];

/** Returns the packages that this version of the platform was built with. */
export async function listBuiltPackages({ assets }: PublicCtx): Promise<readonly BuiltPackage[]> {
	return (await assets.readJson("packages/built.json", packageIndexFile)).packages;
}

/**
 * Returns the URL of a package whose bytes never change. A lock file of npm has the URL that was installed, also if that one redirects,
 * and pip accepts a wheel under its own name only.
 */
export async function findPackageUrl(ctx: PublicCtx, builtAs: BuiltPackage["builtAs"]): Promise<string> {
	const builtPackage = (await listBuiltPackages(ctx)).find((each) => each.builtAs === builtAs);
	return addressOf(ctx, builtPackage?.file ?? builtAs);
}

/** Returns the absolute URL of a package. */
export function addressOf({ baseUrl }: PublicCtx, file: string): string {
	return `${baseUrl}/packages/${file}`;
}
