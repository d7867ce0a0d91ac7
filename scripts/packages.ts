// Packs SDK, command line and Python package for registries, under names that the publisher owns there:
// npm run packages -- --scope @acme --python-name acme-bounties --repository https://github.com/acme/bounties
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { identityForRegistry } from "./site/package-identity.ts";
import { packAll } from "./site/packages.ts";
import { runCommand } from "./support/command.ts";
import { PROJECT_ROOT } from "./support/wrangler.ts";

const OUT = join(PROJECT_ROOT, "dist", "packages");

await runCommand(async () => {
	const text = { type: "string" } as const;
	const { values } = parseArgs({ options: { scope: text, "python-name": text, repository: text } });
	const identity = identityForRegistry({ scope: values.scope, pythonName: values["python-name"], repository: values.repository });
	await rm(OUT, { recursive: true, force: true });
	for (const { kind, filename, archive, name, version } of await packAll(identity)) {
		// The tools of both registries publish everything in a folder.
		await mkdir(join(OUT, kind), { recursive: true });
		await writeFile(join(OUT, kind, filename), archive);
		console.log(`${name} ${version}: ${join(OUT, kind, filename)}`);
	}
});
