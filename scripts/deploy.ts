// npm run deploy creates missing resources, updates the schema, deploys, and runs the smoke test. See docs/pages/operating/deploying.mdx.
// --env names an environment of wrangler.toml. --dry-run only builds the Worker and measures it. Other arguments go to `wrangler deploy`.
// It runs with --js-base-64 because src/config/env.ts decodes base64 with a function that Node 24 has only behind this flag.
import { buildWorker, uploadWorker } from "./deploy/bundle.ts";
import { openAccount } from "./deploy/cloudflare.ts";
import { decideOnContainer, hasGraderClass, writeConfiguration } from "./deploy/container.ts";
import { setLifecycleRule } from "./deploy/lifecycle.ts";
import { environmentArguments, readOptions } from "./deploy/options.ts";
import { assertDeployable, createMissingResources, findDatabases, readDeployment, replicateReads } from "./deploy/preparation.ts";
import { awaitReadiness, keepPackages, runSmoke } from "./deploy/readiness.ts";
import { assertNothingRemoved, updateSchema } from "./deploy/schema.ts";
import { collectSecrets, withSecretsFile } from "./deploy/secrets.ts";
import { assertSwitchedOn } from "./deploy/switched-on.ts";
import { runCommand } from "./support/command.ts";
import { buildDocsNow } from "./support/docs.ts";

await runCommand(async () => {
	const options = readOptions(process.argv.slice(2));
	const deployment = readDeployment(options.environment);
	if (options.isDryRun) return buildWorker();

	const account = await openAccount();
	const secrets = await collectSecrets(options, deployment, account);
	assertDeployable(deployment, { environment: options.environment, secrets });
	await assertSwitchedOn(deployment, account);
	const isChosen = await decideOnContainer(deployment, secrets.names);
	const hasClass = await hasGraderClass(account, deployment.worker);
	if (!options.allowsDestructive) await assertNothingRemoved(await findDatabases(deployment, account), account);
	await buildWorker();
	await buildDocsNow();
	const databases = await createMissingResources(deployment, account);
	await replicateReads(databases, account);
	console.log("Updating the schema of the databases.");
	await updateSchema(options.environment, databases, account);
	console.log("Deploying the Worker.");
	const configuration = await writeConfiguration({ isChosen, hasClass, jurisdiction: deployment.jurisdiction });
	const args = [...environmentArguments(options.environment), ...options.passed, ...configuration.args];
	const upload = withSecretsFile(secrets.values, (file) => uploadWorker([...args, ...file]));
	const { versionId, urls } = await upload.finally(configuration.end);
	console.log(`Deployed version ${versionId}.`);
	await setLifecycleRule(deployment, account);
	const url = await awaitReadiness(urls, options.environment);
	if (url === null) return;
	await keepPackages(url);
	await runSmoke(url, options);
});
