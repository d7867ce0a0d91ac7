// Provides the reference image of grader/reference, built from busybox without a registry.
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { FoundEngine } from "../../grader/engine/find.ts";
import { buildImages, runEngine } from "./container-engine.ts";

const REFERENCE = fileURLToPath(new URL("../../grader/reference", import.meta.url).href);
/** Low limits and no network, for machines that allow no more. */
const MODEST = ["--network", "none", "--ulimit", "nofile=1024:1024", "--ulimit", "nproc=1024:1024"];

/** Builds the image under a name of localhost. @param change Replaces text in the Dockerfile, for images that are less careful. */
export async function buildReferenceImage(engine: FoundEngine, name: string, change: readonly [string, string] = ["", ""]): Promise<void> {
	const base = await buildImages(engine, { base: { script: "" } });
	const folder = await mkdtemp(join(tmpdir(), "grader-reference-"));
	try {
		await cp(REFERENCE, folder, { recursive: true });
		const dockerfile = await readFile(join(folder, "Dockerfile"), "utf8");
		await writeFile(join(folder, "Dockerfile"), dockerfile.replace(/^FROM .*$/m, `FROM ${base.names.base}`).replace(...change));
		runEngine(engine, "build", "--quiet", ...MODEST, "--tag", name, folder);
	} finally {
		await rm(folder, { recursive: true, force: true });
		await base.remove();
	}
}
