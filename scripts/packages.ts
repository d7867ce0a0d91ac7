// Packs SDK, command line and Python package for registries, under names that the publisher owns there:
// npm run packages -- --scope @acme --python-name acme-bounties --repository https://github.com/acme/bounties
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { identityForRegistry } from "./site/package-identity.ts";
import { packAll } from "./site/packages.ts";
import { runCommand } from "./support/command.ts";
import { PROJECT_ROOT } from "./support/wrangler.ts";

const FOLDER = "dist/packages";

await runCommand(async () => {
	const { values } = parseArgs({
		options: { scope: { type: "string" }, "python-name": { type: "string" }, repository: { type: "string" }, out: { type: "string" } },
	});
	const identity = identityForRegistry({ scope: values.scope, pythonName: values["python-name"], repository: values.repository });
	const out = values.out ?? join(PROJECT_ROOT, FOLDER);
	await rm(out, { recursive: true, force: true });
	for (const { kind, filename, archive, name, version } of await packAll(identity)) {
		// The two registries' tools each publish all of a folder.
		await mkdir(join(out, kind), { recursive: true });
		await writeFile(join(out, kind, filename), archive);
		console.log(`${name} ${version}: ${join(out, kind, filename)}`);
	}
});
