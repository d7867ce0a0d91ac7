// The operator chooses if the grader's container is deployed. Cloudflare cannot give a container to a class of Durable Objects that was
// created without one, so the class is created together with its container, or not at all.
import { spawn } from "node:child_process";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "smol-toml";
import { z } from "zod";
import { CommandError } from "../support/command.ts";
import { PROJECT_ROOT } from "../support/wrangler.ts";
import type { Account } from "./cloudflare.ts";
import type { Deployment } from "./preparation.ts";

const CLASS = "Grader";
/** Each migration tag of a deployment that has the class ends like this. */
const MARK = "+grader";

/**
 * Decides to deploy the container only if GRADER_CONTAINER asks for it, and no other grader replaces it.
 *
 * @throws CommandError if it is chosen and there is no Docker to build it.
 */
export async function decideOnContainer({ vars }: Pick<Deployment, "vars">, secrets: ReadonlySet<string>): Promise<boolean> {
	const isElsewhere = "GRADER_URL" in vars || secrets.has("GRADER_URL");
	if (isElsewhere || vars["GRADER_CONTAINER"] !== "true") return false;
	const docker = process.env["WRANGLER_DOCKER_BIN"] || "docker";
	if (await answers(docker)) return true;
	throw new CommandError(
		`The grader's container is built with Docker, and ${docker} does not run here. Start it, or set GRADER_CONTAINER = "false" in wrangler.toml.

Submissions to tasks that run an image then need a grader elsewhere; see “Grader” in docs/pages/operating/configuration.mdx.`,
	);
}

function answers(docker: string): Promise<boolean> {
	return new Promise((resolve) => {
		const child = spawn(docker, ["info"], { stdio: "ignore" });
		child.once("error", () => resolve(false));
		child.once("close", (code) => resolve(code === 0));
	});
}

const worker = z.object({ default_environment: z.object({ script: z.object({ migration_tag: z.string().optional() }) }) });

/** Reads the tag of the newest migration of Durable Objects that a Worker has. Returns null before its first deployment. */
export async function readMigrationTag(account: Account, name: string): Promise<string | null> {
	const found = await account.ask({ method: "GET", path: `/workers/services/${name}` }, worker);
	return found?.default_environment.script.migration_tag ?? null;
}

interface Choice {
	readonly isChosen: boolean;
	readonly migrationTag: string | null;
}

const migration = z.looseObject({ tag: z.string(), new_sqlite_classes: z.array(z.string()).default([]) });
const section = z.looseObject({
	vars: z.looseObject({}),
	durable_objects: z.looseObject({ bindings: z.array(z.looseObject({ class_name: z.string() })) }),
});
const configuration = section.extend({ migrations: z.array(migration), env: z.record(z.string(), section).default({}) });

/**
 * Returns the configuration with the grader's class, binding and container, or without all three. A deployment keeps the class forever:
 * it contains no data, and choosing it again could not undo a migration that deletes it.
 */
export function configureContainer(written: unknown, { isChosen, migrationTag }: Choice) {
	const { migrations, env, ...top } = configuration.parse(written);
	const others = migrations.filter(({ new_sqlite_classes }) => !new_sqlite_classes.includes(CLASS));
	const hasClass = migrationTag?.endsWith(MARK) ?? false;
	const edit = (part: z.output<typeof section>) => (hasClass || isChosen ? part : leaveOut(part));
	const decline = (part: z.output<typeof section>) => (isChosen ? part : { ...part, vars: { ...part.vars, GRADER_CONTAINER: "false" } });
	return {
		...decline(edit(top)),
		migrations: hasClass ? continueAfter(others, migrationTag ?? "") : isChosen ? addClass(others) : others,
		env: Object.fromEntries(Object.entries(env).map(([name, part]) => [name, decline(edit(part))])),
	};
}

function leaveOut(part: z.output<typeof section>) {
	const bindings = part.durable_objects.bindings.filter(({ class_name }) => class_name !== CLASS);
	return { ...part, durable_objects: { ...part.durable_objects, bindings }, containers: [] };
}

type Migrations = readonly z.output<typeof migration>[];

function addClass(migrations: Migrations): Migrations {
	return [...migrations, { tag: `${migrations.at(-1)?.tag ?? ""}${MARK}`, new_sqlite_classes: [CLASS] }];
}

/**
 * Returns the migrations in the right order. wrangler applies those after the Worker's tag, so the class stays at the place where it was
 * added.
 */
function continueAfter(migrations: Migrations, tag: string): Migrations {
	const last = migrations.findIndex((each) => `${each.tag}${MARK}` === tag);
	return migrations.map((each, index) => (index < last ? each : { ...each, tag: `${each.tag}${MARK}` }));
}

interface ChosenConfiguration {
	/** `wrangler deploy` gets this path. */
	readonly args: readonly string[];
	/** Removes the file. */
	end(): Promise<void>;
}

/** Writes the configuration of a deployment into the folder of wrangler.toml, because its paths are relative to it. */
export async function writeConfiguration(choice: Choice): Promise<ChosenConfiguration> {
	const path = join(PROJECT_ROOT, `wrangler.deploy-${process.pid}.json`);
	const written: unknown = parse(await readFile(join(PROJECT_ROOT, "wrangler.toml"), "utf8"));
	await writeFile(path, JSON.stringify(configureContainer(written, choice), null, "\t"));
	const keepsContainer = !choice.isChosen && (choice.migrationTag?.endsWith(MARK) ?? false);
	return { args: ["--config", path, ...(keepsContainer ? ["--containers-rollout", "none"] : [])], end: () => rm(path, { force: true }) };
}
