// npm run set-secret checks a secret in the same way as the Worker, and then sends it. A secret takes effect at once, and so would a
// mistyped one. It runs with --js-base-64 because src/config/settings.ts decodes base64 with a function that Node 24 has only behind this
// flag.
import { text } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { parseConfig } from "../src/config/env.ts";
import { listSettings } from "../src/config/setting.ts";
import { settings } from "../src/config/settings.ts";
import { environmentArguments } from "./deploy/options.ts";
import { exampleSecrets, readDeployment } from "./deploy/preparation.ts";
import { CommandError, runCommand } from "./support/command.ts";
import { askWrangler } from "./support/wrangler.ts";

await runCommand(async () => {
	const { values, positionals } = parseArgs({ options: { env: { type: "string", short: "e" } }, allowPositionals: true });
	const environment = values.env ?? null;
	const [name, ...rest] = positionals;
	const listed = listSettings(settings).map(({ variable }) => variable);
	if (name === undefined || rest.length > 0)
		throw new CommandError("Name one setting: npm run set-secret -- <NAME> --env <environment> < file");
	if (!listed.includes(name))
		throw new CommandError(`The platform has no setting ${name}. docs/pages/operating/configuration.mdx lists all.`);
	if (process.stdin.isTTY) console.error(`Type the value of ${name}, and end it with Ctrl-D:`);
	const value = (await text(process.stdin)).trim();
	const problem = findProblem(name, value, environment);
	if (problem !== null) throw new CommandError(`Nothing was sent. ${name}: ${problem}`);
	const { ok, output } = await askWrangler({ args: ["secret", "put", name, ...environmentArguments(environment)], input: `${value}\n` });
	if (!ok) throw new CommandError(output);
	console.log(`${name} is set. GET /ready names it under "settings" if the Worker finds a fault in it.`);
});

/** Returns what the Worker would find wrong with the value, without the value itself. Null for a valid value. */
function findProblem(name: string, value: string, environment: string | null): string | null {
	if (value === "") return "is empty.";
	const { vars } = readDeployment(environment);
	const others = { ...exampleSecrets(["SECRETS_KEY", "PUBLIC_URL"]), ...vars };
	try {
		parseConfig({ ...others, [name]: value });
		return null;
	} catch (error) {
		const message = error instanceof Error ? error.message : String(error);
		const fault = new RegExp(`(?:^|[.;] )${name}: ([^;]*)`).exec(message)?.[1] ?? null;
		// A setting that is set together with another one is not rejected, because the other one may be set next.
		return fault === null || /^is set together|^is required/.test(fault) ? null : fault;
	}
}
