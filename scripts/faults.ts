// npm run faults -- [--faults 10000] [--seed N]: plays faults over the steps of the platform, and audits what is left. The seed repeats a run.
import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { CommandError, runCommand } from "./support/command.ts";
import { PROJECT_ROOT } from "./support/wrangler.ts";

const MAX_SEED = 2 ** 31;

await runCommand(async () => {
	const { values } = parseArgs({ options: { faults: { type: "string", default: "10000" }, seed: { type: "string" } } });
	const faults = readNumber("--faults", values.faults);
	const seed = values.seed === undefined ? randomInt(MAX_SEED) : readNumber("--seed", values.seed);
	console.log(`${faults} faults with seed ${seed}.`);
	const variables = { LONG_TESTS: "true", FAULTS: String(faults), FAULTS_SEED: String(seed) };
	const child = spawn("vitest", ["run", "test/faults", "--silent=false", "--disable-console-intercept"], {
		cwd: PROJECT_ROOT,
		env: { ...process.env, ...variables },
		stdio: "inherit",
	});
	const code = await new Promise<number | null>((resolve, reject) => child.once("close", resolve).once("error", reject));
	if (code !== 0) throw new CommandError(`An invariant does not hold. Repeat it with: npm run faults -- --faults ${faults} --seed ${seed}`);
});

function readNumber(name: string, text: string): number {
	const value = Number(text);
	if (!Number.isSafeInteger(value) || value < 1 || value >= MAX_SEED)
		throw new CommandError(`${name} takes a whole number from 1 to ${MAX_SEED - 1}.`);
	return value;
}
