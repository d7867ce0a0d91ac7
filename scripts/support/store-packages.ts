// Makes a running platform store its version's packages in its bucket, so that lock files that name a package still work with later
// versions.
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import * as z from "zod";
import { SITE_FOLDER } from "../site/fingerprint.mjs";
import { CommandError } from "./command.ts";
import { PROJECT_ROOT } from "./wrangler.ts";

const PAUSE_MS = 3_000;
const REQUEST_TIMEOUT_MS = 30_000;
const builtFile = z.object({ packages: z.array(z.object({ file: z.string(), integrity: z.string() })) });

/**
 * Requests each package of this build from the platform that serves it. The first request for a package stores it.
 * A package that is already stored stays as it is.
 *
 * @param options Each package is requested up to `attempts` times, because a location that still runs the previous version does not know
 * it.
 * @returns The names of the files.
 * @throws CommandError if a package is not served with the bytes of this build.
 */
export async function storePackages(url: string, { attempts }: { readonly attempts: number }): Promise<readonly string[]> {
	const text = await readFile(join(PROJECT_ROOT, SITE_FOLDER, "packages", "built.json"), "utf8");
	const { packages } = builtFile.parse(JSON.parse(text));
	for (const each of packages) {
		const address = `${url}/packages/${each.file}`;
		for (let attempt = 1; ; attempt += 1) {
			const fault = await findFault(address, each.integrity);
			if (fault === null) break;
			if (attempt >= attempts) {
				throw new CommandError(
					`${address} is not stored: ${fault}. Request it before the next deployment, or lock files that name it stop working then.`,
				);
			}
			await delay(PAUSE_MS);
		}
	}
	return packages.map(({ file }) => file);
}

/** Returns null if the URL has the expected bytes. Otherwise, returns what is wrong. */
async function findFault(url: string, integrity: string): Promise<string | null> {
	try {
		const response = await fetch(url, { signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) });
		const bytes = new Uint8Array(await response.arrayBuffer());
		if (!response.ok) return `the platform returned ${response.status}`;
		const found = `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
		return found === integrity ? null : "the platform has other bytes under this name";
	} catch (error) {
		return error instanceof Error ? error.message : String(error);
	}
}
