// npm run grader runs the grader on this machine for a platform on this machine. docs/grader.md describes its variables.
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { type RunningGrader, StartFault, startGrader } from "../grader/program.ts";
import { CommandError, runCommand } from "./support/command.ts";
import { stopSignal, whenAborted } from "./support/stop-signal.ts";
import { PROJECT_ROOT } from "./support/wrangler.ts";

const TOKEN_BYTES = 24;

await runCommand(async () => {
	const signal = stopSignal();
	const { token, isKnown } = findToken();
	const environment = { WORK_FOLDER: join(PROJECT_ROOT, ".wrangler", "grader"), ...process.env, GRADER_TOKEN: token };
	const grader = await startGrader(environment, (error) => console.error(error)).catch(explain);
	console.log(describe(grader, token, isKnown));
	await whenAborted(signal);
	await grader.stop();
	console.log("Stopped.");
	// The grader keeps results for a while, which would keep the process alive.
	process.exit();
});

/** Returns the token from the environment or from .dev.vars, which the platform also reads. Otherwise, returns a new one. */
function findToken(): { token: string; isKnown: boolean } {
	const known = process.env["GRADER_TOKEN"] || readLocalVariables()["GRADER_TOKEN"] || "";
	return known === "" ? { token: randomBytes(TOKEN_BYTES).toString("hex"), isKnown: false } : { token: known, isKnown: true };
}

/** Reads .dev.vars. A checkout without the file has no variables. */
function readLocalVariables(): NodeJS.Dict<string> {
	try {
		return parseEnv(readFileSync(`${PROJECT_ROOT}.dev.vars`, "utf8"));
	} catch {
		return {};
	}
}

function explain(error: unknown): never {
	throw error instanceof StartFault ? new CommandError(error.message) : error;
}

function describe({ url, engine, runtime }: RunningGrader, token: string, isKnown: boolean): string {
	const variables = isKnown ? `GRADER_URL=${url}` : `GRADER_URL=${url}\nGRADER_TOKEN=${token}`;
	return `
The grader runs at ${url} with ${engine} and ${runtime}.

The platform finds it through these lines in .dev.vars. Restart the platform after adding them.
${isKnown ? "The token is the one in GRADER_TOKEN.\n" : ""}
${variables}

Stop with Ctrl-C.
`;
}
