// npm run deploy: creates what is missing, brings the schema up to date, deploys. docs/deploying.md explains each step.
// --env names an environment of wrangler.toml. With --dry-run it only builds the Worker and measures it, without an account.
// Other arguments go to `wrangler deploy`.
// It runs with --js-base-64 because src/config/env.ts decodes base64 with what Workers have and Node 24 has only behind this flag.
import { buildWorker, uploadWorker } from "./deploy/bundle.ts";
import { containerArguments, decideOnContainer } from "./deploy/container.ts";
import { setLifecycleRule } from "./deploy/lifecycle.ts";
import { environmentArguments, readOptions } from "./deploy/options.ts";
import { assertDeployable, assertLoggedIn, createMissingResources, listSecrets, readDeployment } from "./deploy/preparation.ts";
import { awaitReadiness } from "./deploy/readiness.ts";
import { updateSchema } from "./deploy/schema.ts";
import { runCommand } from "./support/command.ts";
import { buildDocsNow } from "./support/docs.ts";

await runCommand(async () => {
	const options = readOptions(process.argv.slice(2));
	const deployment = readDeployment(options.environment);
	if (options.isDryRun) return buildWorker();

	await assertLoggedIn();
	const secrets = await listSecrets(options);
	assertDeployable(deployment, { environment: options.environment, secrets });
	const hasContainer = await decideOnContainer(deployment, secrets);
	await buildWorker();
	await buildDocsNow();
	await createMissingResources(deployment);
	console.log("Bringing the schema of the databases up to date.");
	await updateSchema(options);
	console.log("Deploying the Worker.");
	const args = [...environmentArguments(options.environment), ...options.passed, ...containerArguments(deployment, hasContainer)];
	const { versionId, urls } = await uploadWorker(args);
	console.log(`Deployed version ${versionId}.`);
	await setLifecycleRule(deployment, options.environment);
	await awaitReadiness(urls);
});
