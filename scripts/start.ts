// npm start runs the platform on this machine. HOST, PORT and STATE_DIR choose where.
import { existsSync, readFileSync } from "node:fs";
import { relative } from "node:path";
import { parseEnv } from "node:util";
import { isCoreOnly } from "./setup/extensions.mjs";
import { adoptStagedDocs, serveStagedDocs } from "./site/staged-docs.ts";
import { CommandError, runCommand } from "./support/command.ts";
import { buildDocs } from "./support/docs.ts";
import { DEFAULT_PORT, type PlatformPlace, readPlace, startPlatform } from "./support/platform.ts";
import { stopSignal, whenAborted } from "./support/stop-signal.ts";
import { storePackages } from "./support/store-packages.ts";
import { PROJECT_ROOT } from "./support/wrangler.ts";

await runCommand(async () => {
	const place = readPlace();
	const signal = stopSignal();
	console.log("Starting the platform.");
	await adoptStagedDocs();
	const staged = await serveStagedDocs();
	try {
		await runPlatform(place, { signal, stagedDocsUrl: staged.url });
	} finally {
		// A server that still listens keeps the process alive, even after a start that failed.
		staged.stop();
	}
});

/**
 * Runs the platform until the signal.
 *
 * @throws CommandError if it does not start, or ends by itself.
 */
async function runPlatform(place: PlatformPlace, { signal, stagedDocsUrl }: { signal: AbortSignal; stagedDocsUrl: string }): Promise<void> {
	const vars = { STAGED_DOCS_URL: stagedDocsUrl };
	const platform = await startPlatform(place, { show: (text) => process.stdout.write(text), signal, vars });
	if (!isCoreOnly()) await keepPackages(platform.url);
	console.log(describe(platform.url, place));
	const docs = isCoreOnly() ? null : buildDocs(platform.url);
	const end = await Promise.race([platform.ended, whenAborted(signal)]);
	docs?.stop();
	if (end !== undefined) throw new CommandError(`The runtime ended by itself, with exit code ${end.code}.`);
	await platform.stop();
	console.log("Stopped.");
}

/** Stores the packages. A fault is only printed, because the platform works without the packages in the bucket. */
async function keepPackages(url: string): Promise<void> {
	try {
		await storePackages(url, { attempts: 1 });
	} catch (error) {
		console.error(error instanceof Error ? error.message : error);
	}
}

function describe(url: string, { port, stateDir }: PlatformPlace): string {
	const variable = port === DEFAULT_PORT ? "" : `PORT=${port} `;
	const state = relative(PROJECT_ROOT, stateDir);
	if (isCoreOnly()) {
		return `
The core of the platform runs at ${url}, without its extensions

  Handbook             ${url}/api/docs
  Documentation        ${url}/docs
  API description      ${url}/openapi.json
  State                ${state.startsWith("..") ? stateDir : state}

${describeJudge()} Stop with Ctrl-C.
`;
	}
	return `
The platform runs at ${url}

  See the whole loop   ${variable}npm run demo
  In a browser         ${url}/console
  Documentation        ${url}/docs
  For agents           ${url}/skill.md
  API description      ${url}/openapi.json
  State                ${state.startsWith("..") ? stateDir : state}

${describeJudge()} Stop with Ctrl-C.
`;
}

/** Describes the judge in .dev.vars, from which the Worker also reads it. */
function describeJudge(): string {
	const file = `${PROJECT_ROOT}.dev.vars`;
	const { JUDGE: judge, JUDGE_MODELS: models } = existsSync(file) ? parseEnv(readFileSync(file, "utf8")) : {};
	switch (judge) {
		case "offline":
			return "The offline judge scores here, without a model.";
		case undefined:
		case "":
			return "No judge is configured here, so tasks that need one are rejected.";
		default:
			return `The judge ${judge} scores here, with ${models ?? "no model"}. Its calls cost money.`;
	}
}
