// The packages of this deployment, as listed by its build.
import * as z from "zod";
import type { PublicCtx } from "../../ports/deps.ts";

/** The file names in URLs without a version, which redirect to the current packages. */
export const UNVERSIONED = ["sdk.tgz", "cli.tgz", "python.whl"] as const;

/** The list of packages that scripts/site/packages.ts writes. */
const packageIndexFile = z.object({
	packages: z.array(
		z.object({
			name: z.string(),
			version: z.string(),
			/** The last segment of the package's URL, which contains the version. */
			file: z.string(),
			/** The name of the built file. It differs from the end of the URL, because names of static files cannot contain `+`. */
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
 * Returns the versioned URL of a package, whose bytes never change, or the unversioned one if the build does not list the package. Install
 * from the versioned URL, because an npm lock file keeps the installed URL, and pip accepts a wheel only under its own name.
 */
export async function findPackageUrl(ctx: PublicCtx, builtAs: BuiltPackage["builtAs"]): Promise<string> {
	const builtPackage = (await listBuiltPackages(ctx)).find((each) => each.builtAs === builtAs);
	return addressOf(ctx, builtPackage?.file ?? builtAs);
}

export function addressOf({ baseUrl }: PublicCtx, file: string): string {
	return `${baseUrl}/packages/${file}`;
}
