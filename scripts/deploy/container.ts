// Lets the operator choose whether the grader's container is deployed. Cloudflare cannot add a container to a class of Durable Objects that
// was created without one, so the class is created together with its container, or not at all.
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

/**
 * Decides whether to deploy the container: only if GRADER_CONTAINER asks for it and no other grader replaces it.
 *
 * @throws CommandError if the container is chosen but there is no Docker to build it.
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

const namespaces = z.array(z.object({ script: z.string().nullish(), class: z.string().nullish() }));

/** Returns true if the class was created by an earlier deployment. */
export async function hasGraderClass(account: Account, worker: string): Promise<boolean> {
	const created = await account.ask({ method: "GET", path: "/workers/durable_objects/namespaces?per_page=1000" }, namespaces);
	return created?.some((namespace) => namespace.script === worker && namespace.class === CLASS) ?? false;
}

interface Choice {
	readonly isChosen: boolean;
	/** True if an earlier deployment has created the class. */
	readonly hasClass: boolean;
	/** The jurisdiction in which data stays. */
	readonly jurisdiction: string | null;
}

const section = z.looseObject({
	vars: z.looseObject({}),
	durable_objects: z.looseObject({ bindings: z.array(z.looseObject({ class_name: z.string() })) }),
	r2_buckets: z.array(z.looseObject({})),
});
const configuration = section.extend({
	exports: z.record(z.string(), z.unknown()),
	env: z.record(z.string(), section).default({}),
});

/**
 * Returns the configuration with the grader's class, binding and container, or without all three, and with the bucket in its jurisdiction.
 * A deployed class stays, even without its container: it contains no data, and once deleted, it could not get a container again.
 */
export function configureDeployment(written: unknown, { isChosen, hasClass, jurisdiction }: Choice) {
	const { exports, env, ...top } = configuration.parse(written);
	const { [CLASS]: grader, ...others } = exports;
	const keepsClass = hasClass || isChosen;
	const edit = (part: z.output<typeof section>) => place(decline(keepsClass ? part : leaveOut(part), isChosen), jurisdiction);
	return {
		...edit(top),
		exports: keepsClass ? { ...others, [CLASS]: grader } : others,
		env: Object.fromEntries(Object.entries(env).map(([name, part]) => [name, edit(part)])),
	};
}

function decline(part: z.output<typeof section>, isChosen: boolean) {
	return isChosen ? part : { ...part, vars: { ...part.vars, GRADER_CONTAINER: "false" } };
}

function place(part: z.output<typeof section>, jurisdiction: string | null) {
	return jurisdiction === null ? part : { ...part, r2_buckets: part.r2_buckets.map((bucket) => ({ ...bucket, jurisdiction })) };
}

function leaveOut(part: z.output<typeof section>) {
	const bindings = part.durable_objects.bindings.filter(({ class_name }) => class_name !== CLASS);
	return { ...part, durable_objects: { ...part.durable_objects, bindings }, containers: [] };
}

interface ChosenConfiguration {
	/** The path to pass to `wrangler deploy`. */
	readonly args: readonly string[];
	/** Removes the file. */
	end(): Promise<void>;
}

/** Writes the configuration of a deployment into the folder of wrangler.toml, because its paths are relative to it. */
export async function writeConfiguration(choice: Choice): Promise<ChosenConfiguration> {
	const path = join(PROJECT_ROOT, `wrangler.deploy-${process.pid}.json`);
	const written: unknown = parse(await readFile(join(PROJECT_ROOT, "wrangler.toml"), "utf8"));
	await writeFile(path, JSON.stringify(configureDeployment(written, choice), null, "\t"));
	const keepsContainer = !choice.isChosen && choice.hasClass;
	return { args: ["--config", path, ...(keepsContainer ? ["--containers-rollout", "none"] : [])], end: () => rm(path, { force: true }) };
}
