// npm run deploy: creates what is missing, brings the schema up to date, deploys. docs/deploying.md explains each step.
// With --dry-run it only builds the Worker and measures it, without an account. --without-container leaves the grader's container
// out. Other arguments go to `wrangler deploy`.
// It runs with --js-base-64 because src/env.ts decodes base64 with what Workers have and Node 24 has only behind this flag.
import { buildWorker, uploadWorker } from "./deploy/bundle.ts";
import { decideOnContainer, deployArguments, withoutContainerIfDeclined } from "./deploy/container.ts";
import { awaitHealth } from "./deploy/health.ts";
import { assertDeployable, assertLoggedIn, createMissingResources, listSecrets, readDeployment } from "./deploy/preparation.ts";
import { runCommand } from "./support/command.ts";
import { requireWrangler } from "./support/wrangler.ts";

await runCommand(async () => {
	const args = process.argv.slice(2);
	await buildWorker();
	if (args.includes("--dry-run")) return;

	const deployment = withoutContainerIfDeclined(readDeployment(), args);
	await assertLoggedIn();
	const secrets = await listSecrets(args);
	assertDeployable(deployment, secrets);
	const hasContainer = await decideOnContainer(deployment, secrets);
	await createMissingResources(deployment);
	console.log("Bringing the schema of the database up to date.");
	await requireWrangler("d1", "migrations", "apply", "DB", "--remote");
	console.log("Deploying the Worker.");
	const { versionId, urls } = await uploadWorker(deployArguments(args, hasContainer));
	console.log(`Deployed version ${versionId}.`);
	await awaitHealth(urls);
});
