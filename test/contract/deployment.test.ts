// wrangler.toml and the code agree on limits, queues and Durable Objects.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "smol-toml";
import { describe, expect, it } from "vitest";
import { parse as parseYaml } from "yaml";
import { z } from "zod";
import { configureDeployment, decideOnContainer } from "../../scripts/deploy/container.ts";
import { environmentArguments, readOptions } from "../../scripts/deploy/options.ts";
import { assertDeployable, readDeployment } from "../../scripts/deploy/preparation.ts";
import { askForMissing } from "../../scripts/deploy/secrets.ts";
import { readProjectFile, readSources } from "../../scripts/support/sources.ts";
import { PROJECT_ROOT } from "../../scripts/support/wrangler.ts";
import { listSettings } from "../../src/config/setting.ts";
import { settings } from "../../src/config/settings.ts";
import {
	EVERYTHING_LIMIT,
	OPENING_LIMIT,
	RATE_LIMITS,
	RATE_WINDOW_SECONDS,
	REDEEMING_LIMIT,
	REGISTERING_LIMIT,
	SESSION_LIMIT,
	SHARED_NETWORK_LIMIT,
} from "../../src/http/rate-limit.ts";
import { findConsumer } from "../../src/queues/index.ts";

const wranglerConfig = z.object({
	ratelimits: z.array(z.object({ name: z.string(), simple: z.object({ limit: z.number(), period: z.number() }) })),
	queues: z.object({
		producers: z.array(z.object({ binding: z.string(), queue: z.string() })),
		consumers: z.array(z.object({ queue: z.string(), dead_letter_queue: z.string().optional(), max_retries: z.number() })),
	}),
	durable_objects: z.object({
		bindings: z.array(z.object({ name: z.string(), class_name: z.string() })),
		// Two versions meet for this long.
		code_update_strategy: z.object({ mode: z.literal("deferred"), max_delay: z.literal(30) }),
	}),
	exports: z.record(z.string(), z.object({ type: z.literal("durable-object"), storage: z.literal("sqlite") })),
	assets: z.object({ run_worker_first: z.boolean() }),
	containers: z.tuple([z.object({ image: z.string() })]),
	vars: z.record(z.string(), z.unknown()),
	compatibility_flags: z.array(z.string()),
	cache: z.object({ enabled: z.boolean() }),
});
const WORKFLOWS = join(PROJECT_ROOT, ".github", "workflows");
const written = parse(readProjectFile("wrangler.toml"));
const config = wranglerConfig.parse(written);
const environments = z.record(z.string(), z.record(z.string(), z.unknown())).parse(written["env"]);

/** Replaces all names of a deployment's own resources, so that two configurations can be compared. */
function withoutNames(value: unknown, name: string): unknown {
	return JSON.parse(
		JSON.stringify(value)
			.replaceAll(`"${name}`, '"NAME')
			.replaceAll(`"${name.replaceAll("-", "_")}`, '"NAME')
			.replaceAll(/"namespace_id":"\d+"/g, '"namespace_id":"ID"'),
	);
}

describe("images that a deployment builds", () => {
	it("begin with base images that no one can exchange: each has a digest and the tag that it belongs to", () => {
		const dockerfile = readProjectFile("grader/Dockerfile");
		const bases = [...dockerfile.matchAll(/^FROM\s+(\S+)/gim)].map(([, image]) => image);
		expect(bases).toHaveLength(2);
		for (const image of bases) expect(image).toMatch(/^[a-z]+:\d+\.\d+\.\d+-[a-z]+@sha256:[0-9a-f]{64}$/);
		// An image that is copied from is a base image too.
		const stages = [...dockerfile.matchAll(/^FROM\s.*\sAS\s+(\w+)/gim)].map(([, stage]) => stage);
		for (const [, source] of dockerfile.matchAll(/--from=(\S+)/g)) expect(stages).toContain(source);
		const images = [config.containers, ...Object.values(environments).map((environment) => environment["containers"])];
		for (const [container] of z.array(z.tuple([z.object({ image: z.string() })])).parse(images))
			expect(container.image).toBe("./grader/Dockerfile");
	});

	it("run the Node of the project", () => {
		const { devDependencies } = z
			.object({ devDependencies: z.object({ node: z.string() }) })
			.parse(JSON.parse(readProjectFile("package.json")));
		expect(readProjectFile("grader/Dockerfile")).toContain(`FROM node:${devDependencies.node}-alpine@sha256:`);
	});
});

describe("wrangler.toml", () => {
	it("binds the rate limits that responses name", () => {
		const bound = Object.fromEntries(config.ratelimits.map(({ name, simple }) => [name.replace("_LIMIT", "").toLowerCase(), simple]));
		const stated = Object.entries({
			...RATE_LIMITS,
			session: SESSION_LIMIT,
			shared: SHARED_NETWORK_LIMIT,
			opening: OPENING_LIMIT,
			registering: REGISTERING_LIMIT,
			redeeming: REDEEMING_LIMIT,
			everything: EVERYTHING_LIMIT,
		});
		expect(bound).toEqual(Object.fromEntries(stated.map(([rate, limit]) => [rate, { limit, period: RATE_WINDOW_SECONDS }])));
	});

	it("sends every request to the Worker, so that no path has other errors", () => {
		expect(config.assets.run_worker_first).toBe(true);
	});

	it("puts the cache of public responses in front of the Worker, in each environment", () => {
		expect(config.cache).toEqual({ enabled: true });
		for (const environment of Object.values(environments)) expect(environment["cache"]).toBeUndefined();
	});

	it("has a consumer for every queue, and a limit of retries for every message", () => {
		const consumed = config.queues.consumers.map(({ queue }) => queue);
		for (const { queue } of config.queues.producers) expect(consumed).toContain(queue);
		const ends = config.queues.consumers.map(({ queue, dead_letter_queue }) => [queue, dead_letter_queue]);
		expect(Object.fromEntries(ends)).toEqual({
			"bounty-platform-checks": "bounty-platform-evaluation-dead",
			"bounty-platform-evaluation": "bounty-platform-evaluation-dead",
			"bounty-platform-evaluation-dead": undefined,
			// The next minute sends another message.
			"bounty-platform-sweeps": undefined,
		});
		for (const queue of [...consumed, "bounty-platform-evaluation-2"]) expect(findConsumer(queue)).not.toBeNull();
	});

	it("lists each Durable Object, which the entry exports and Cloudflare creates", () => {
		const classes = config.durable_objects.bindings.map(({ class_name }) => class_name);
		expect(Object.keys(config.exports).toSorted()).toEqual(classes.toSorted());
		const entry = readProjectFile("src/index.ts");
		const defined = readSources("src/durable-objects").flatMap(({ code }) =>
			[...code.matchAll(/export class (\w+) extends/g)].map(([, name]) => name ?? ""),
		);
		expect(defined.toSorted()).toEqual(classes.toSorted());
		for (const name of classes) expect(entry).toMatch(new RegExp(`export \\{[^}]*\\b${name}\\b`));
	});

	it("deploys as production, without a development value, and lets no request reach the zone's inside", () => {
		expect(config.vars).toMatchObject({ ENVIRONMENT: "production" });
		expect(config.vars).not.toHaveProperty("SECRETS_KEY");
		expect(config.vars["JUDGE"]).not.toBe("offline");
		expect(config.compatibility_flags).toContain("global_fetch_strictly_public");
	});
});

describe("the environments of wrangler.toml", () => {
	it("are staging and production", () => {
		expect(Object.keys(environments)).toEqual(["staging", "production"]);
	});

	it.each(Object.entries(environments))("%s differs from the top level only in the names of its resources", (name, own) => {
		const inherited = { ...Object.fromEntries(Object.keys(own).map((key) => [key, written[key]])), routes: [] };
		expect(withoutNames(own, `bounty-platform-${name}`)).toEqual(withoutNames(inherited, "bounty-platform"));
		// wrangler does not inherit these keys, but it inherits the others of the top level.
		const repeated = [
			"vars",
			"d1_databases",
			"r2_buckets",
			"queues",
			"durable_objects",
			"containers",
			"ratelimits",
			"analytics_engine_datasets",
		];
		expect(Object.keys(own)).toEqual(expect.arrayContaining(repeated));
	});

	it("write data points, each into its own dataset", () => {
		const datasetOf = (name: string) => ({ analytics_engine_datasets: [{ binding: "METRICS", dataset: name.replaceAll("-", "_") }] });
		expect(written).toMatchObject(datasetOf("bounty-platform"));
		for (const [name, own] of Object.entries(environments)) expect(own).toMatchObject(datasetOf(`bounty-platform-${name}`));
	});

	it("share no resource and no rate limit", () => {
		const everything = [config, ...Object.values(environments)].map((each) => JSON.stringify(each));
		for (const pattern of [/"namespace_id":"(\d+)"/g, /"(?:database_name|bucket_name|queue)":"([^"]+)"/g]) {
			const used = everything.flatMap((text) => [...new Set([...text.matchAll(pattern)].map(([, id]) => id))]);
			expect(new Set(used).size).toBe(used.length);
		}
	});
});

describe("the resources of npm run deploy", () => {
	it.each([
		[null, "bounty-platform"],
		["staging", "bounty-platform-staging"],
		["production", "bounty-platform-production"],
	])("of %s: databases and queues under the name %s", (environment, name) => {
		const { databases, queues } = readDeployment(environment);
		expect(databases).toEqual([
			{ binding: "DB", name },
			{ binding: "SEARCH", name: `${name}-search` },
		]);
		expect(queues.toSorted()).toEqual(["checks", "evaluation", "evaluation-dead", "sweeps"].map((queue) => `${name}-${queue}`));
		expect(environmentArguments(environment)).toEqual(["--env", environment ?? ""]);
	});

	it("are all listed in the guide", () => {
		const { databases, queues, bucket } = readDeployment("staging");
		const guide = readProjectFile("docs/pages/operating/deploying.mdx");
		const section = guide.slice(guide.indexOf("## Resources"), guide.indexOf("## Upgrade"));
		const listed = [...section.matchAll(/`(bounty-platform-staging[\w-]*)`/g)].map(([, name = ""]) => name);
		expect(listed.toSorted()).toEqual([...databases.map(({ name }) => name), ...queues, bucket].toSorted());
	});

	it("include every secret, although the command cannot read their values", () => {
		const secrets = new Set(listSettings(settings).flatMap(({ variable, isSecret }) => (isSecret === true ? [variable] : [])));
		expect([...secrets]).toEqual(expect.arrayContaining(["SECRETS_KEY", "SECRETS_KEY_PREVIOUS", "ADMIN_TOKEN_SHA256", "WALLET_RPC_URLS"]));
		const companions = ["PUBLIC_URL", "GRADER_URL", "SIGN_IN_GITHUB_CLIENT_ID", "SIGN_IN_OIDC_CLIENT_ID", "SIGN_IN_OIDC_ISSUER"];
		for (const name of companions) secrets.add(name);
		const deployment = { ...readDeployment("staging"), vars: { ENVIRONMENT: "production" } };
		expect(() => assertDeployable(deployment, { environment: "staging", secrets: { names: secrets, values: {} } })).not.toThrow();
	});
});

describe("a judge that asks models", () => {
	const judge = { JUDGE: "openai", JUDGE_MODELS: "small > large" };
	const bounded = { JUDGE_PRICES: "small=0.25/2,large=3/15", JUDGE_MAX_USD_PER_DAY: "50" };
	const deploy = (vars: Readonly<Record<string, unknown>>) => () => {
		const known = { ENVIRONMENT: "production", PUBLIC_URL: "https://api.example", ...judge, ...vars };
		assertDeployable(
			{ ...readDeployment("staging"), vars: known },
			{ environment: "staging", secrets: { names: new Set(["SECRETS_KEY", "JUDGE_API_KEY"]), values: {} } },
		);
	};

	it("is not deployed without prices and a ceiling for the day, unless its operator allows it", () => {
		expect(deploy(bounded)).not.toThrow();
		expect(deploy({ ...bounded, JUDGE_PRICES: "large=3/15" })).toThrow("JUDGE_PRICES has no price for small");
		expect(deploy({ ...bounded, JUDGE_CONFIRM_MODEL: "strict" })).toThrow("JUDGE_PRICES has no price for strict");
		expect(deploy({ JUDGE_PRICES: bounded.JUDGE_PRICES })).toThrow("JUDGE_MAX_USD_PER_DAY is not set");
		expect(deploy({})).toThrow("JUDGE_UNLIMITED=true deploys without a limit");
		expect(deploy({ JUDGE_UNLIMITED: "true" })).not.toThrow();
	});
});

describe("the guide's change of wrangler.toml for another name", () => {
	it("gives a file in which wrangler finds the route and the switch", () => {
		const guide = readProjectFile("docs/pages/operating/deploying.mdx");
		const replaced = /replace the line `([^`]+)`/.exec(guide)?.[1] ?? "";
		const lines = /```toml\n([^`]+)```/.exec(guide)?.[1] ?? "";
		const before = readProjectFile("wrangler.toml");
		expect(before.split("\n").filter((line) => line === replaced)).toHaveLength(1);
		const own = { routes: [{ pattern: "bounties.example.com", custom_domain: true }], workers_dev: false };
		expect(parse(before.replace(replaced, lines.trimEnd()))).toEqual({ ...parse(before), ...own });
	});
});

describe("the grader's container", () => {
	const deployment = { vars: { GRADER_CONTAINER: "true" } };
	const elsewhere = { vars: { ...deployment.vars, GRADER_URL: "https://a.example" } };
	const declined = { vars: { GRADER_CONTAINER: "false" } };

	it("is deployed only if it is chosen, and if no other grader replaces it", async () => {
		process.env["WRANGLER_DOCKER_BIN"] = "true";
		try {
			expect(await decideOnContainer(deployment, new Set())).toBe(true);
			expect(await decideOnContainer(deployment, new Set(["GRADER_URL"]))).toBe(false);
			expect(await decideOnContainer(elsewhere, new Set())).toBe(false);
			expect(await decideOnContainer(declined, new Set())).toBe(false);
			process.env["WRANGLER_DOCKER_BIN"] = "false";
			await expect(decideOnContainer(deployment, new Set())).rejects.toThrow('GRADER_CONTAINER = "false"');
		} finally {
			delete process.env["WRANGLER_DOCKER_BIN"];
		}
	});

	const facts = z.looseObject({
		containers: z.array(z.unknown()),
		durable_objects: z.object({ bindings: z.array(z.object({ class_name: z.string() })) }),
		vars: z.object({ GRADER_CONTAINER: z.string() }),
	});
	const configure = (isChosen: boolean, hasClass: boolean, from: unknown = written) => {
		const { env, exports } = configureDeployment(from, { isChosen, hasClass, jurisdiction: null });
		const { containers, durable_objects, vars } = facts.parse(env["staging"]);
		const isBound = durable_objects.bindings.some(({ class_name }) => class_name === "Grader");
		return { hasContainer: containers.length > 0, isBound, isDeclared: "Grader" in exports, variable: vars.GRADER_CONTAINER };
	};
	const chosen = {
		...written,
		vars: { ...config.vars, GRADER_CONTAINER: "true" },
		env: Object.fromEntries(Object.entries(environments).map(([name, own]) => [name, { ...own, vars: { GRADER_CONTAINER: "true" } }])),
	};

	it("is left out with its class until it is chosen, because a class cannot get a container later", () => {
		const left = { hasContainer: false, isBound: false, isDeclared: false, variable: "false" };
		expect(configure(false, false)).toEqual(left);
		expect(configure(false, false, chosen)).toEqual(left);
	});

	it("is added with its class, on the first deployment or on a later one", () => {
		const added = { hasContainer: true, isBound: true, isDeclared: true, variable: "true" };
		expect(configure(true, false, chosen)).toEqual(added);
		expect(configure(true, true, chosen)).toEqual(added);
	});

	it("keeps its class afterwards, even if it is no longer chosen", () => {
		expect(configure(false, true, chosen)).toEqual({ hasContainer: true, isBound: true, isDeclared: true, variable: "false" });
	});
});

describe("the jurisdiction of a deployment", () => {
	const bindings = z.looseObject({ r2_buckets: z.array(z.looseObject({ bucket_name: z.string() })) });
	const bucketsOf = (jurisdiction: string | null) => {
		const { env } = configureDeployment(written, { isChosen: false, hasClass: false, jurisdiction });
		return bindings.parse(env["staging"]).r2_buckets;
	};

	it("is in the binding of the bucket", () => {
		expect(bucketsOf("eu")).toEqual([{ binding: "BUCKET", bucket_name: "bounty-platform-staging", jurisdiction: "eu" }]);
		expect(bucketsOf(null)).toEqual([{ binding: "BUCKET", bucket_name: "bounty-platform-staging" }]);
	});

	it("is asked for by each object, because one function gets them all", () => {
		const callers = readSources("src").filter(({ code }) => /\.(getByName|idFromName|idFromString|newUniqueId)\(/.test(code));
		expect(callers.map(({ path }) => path)).toEqual(["src/compose/object-of.ts"]);
	});
});

describe("the secrets that npm run deploy asks for", () => {
	const askAll = async (vars: Readonly<Record<string, unknown>>, known: readonly string[]) => {
		const asked: string[] = [];
		const typed = await askForMissing(vars, new Set(known), async (question) => {
			const name = question.split(",", 1)[0] ?? "";
			asked.push(name);
			return name === "SECRETS_KEY" ? "" : `typed ${name}`;
		});
		return { asked, typed };
	};

	it("are the missing ones that the deployment needs", async () => {
		expect(await askAll({}, ["PUBLIC_URL", "SECRETS_KEY"])).toEqual({ asked: [], typed: {} });
		expect(await askAll({ PUBLIC_URL: "https://a.example", JUDGE: "openai" }, ["SECRETS_KEY"])).toEqual({
			asked: ["JUDGE_API_KEY"],
			typed: { JUDGE_API_KEY: "typed JUDGE_API_KEY" },
		});
		expect((await askAll({ GRADER_URL: "https://a.example" }, ["PUBLIC_URL", "SECRETS_KEY"])).asked).toEqual(["GRADER_TOKEN"]);
	});

	it("include a key that the command makes if none is typed", async () => {
		const { asked, typed } = await askAll({}, []);
		expect(asked).toEqual(["PUBLIC_URL", "SECRETS_KEY"]);
		expect(Buffer.from(typed["SECRETS_KEY"] ?? "", "base64")).toHaveLength(32);
	});
});

describe("the GitHub workflows", () => {
	const workflows = readdirSync(WORKFLOWS).map((file) => ({ file, text: readFileSync(join(WORKFLOWS, file), "utf8") }));
	const { scripts } = z.object({ scripts: z.record(z.string(), z.string()) }).parse(JSON.parse(readProjectFile("package.json")));

	it.each(workflows)("$file runs commands and workflows that exist", ({ text }) => {
		const { jobs } = z.object({ jobs: z.record(z.string(), z.unknown()) }).parse(parseYaml(text));
		expect(Object.keys(jobs)).not.toEqual([]);
		for (const [, script = ""] of text.matchAll(/npm run (?:-s )?([\w-]+)/g)) expect(scripts).toHaveProperty([script]);
		for (const [, path = ""] of text.matchAll(/uses: \.\/\.github\/workflows\/(\S+)/g)) {
			expect(workflows.map(({ file }) => file)).toContain(path);
		}
	});

	it("deploy production only after staging has passed its smoke test", () => {
		const steps = (file: string): unknown => parseYaml(workflows.find((workflow) => workflow.file === file)?.text ?? "");
		expect(steps("deploy.yml")).toMatchObject({ jobs: { staging: { needs: "check" }, production: { needs: "staging" } } });
		expect(steps("deploy-environment.yml")).toMatchObject({
			jobs: { deploy: { steps: expect.arrayContaining([{ run: expect.stringContaining("npm run smoke") }]) } },
		});
	});
});

describe("the arguments of npm run deploy", () => {
	it.each([
		[[], null, []],
		[["--env", "staging"], "staging", []],
		[["--env=production", "--message", "text"], "production", ["--message", "text"]],
		[["-e", "staging", "--allow-destructive"], "staging", []],
		[["--env", ""], null, []],
	])("%j", (args, environment, passed) => {
		expect(readOptions(args)).toEqual({
			environment,
			secretsFile: null,
			isDryRun: false,
			allowsDestructive: args.includes("--allow-destructive"),
			smoke: "full",
			passed,
		});
	});

	it.each(["--env", "-e", "--secrets-file"])("refuse %s without a value, as an unset variable leaves it", (flag) => {
		expect(() => readOptions(["--message", "text", flag])).toThrow(`${flag} needs a value`);
	});

	it("name a file of secrets and the extent of the smoke test", () => {
		expect(readOptions(["--secrets-file", "a.env", "--without-webhook"])).toMatchObject({
			secretsFile: "a.env",
			smoke: "without-webhook",
			passed: [],
		});
		expect(readOptions(["--secrets-file=a.env", "--without-smoke"])).toMatchObject({ secretsFile: "a.env", smoke: "none", passed: [] });
	});
});

describe("the workflows", () => {
	const workflows = ["ci", "deploy", "deploy-environment", "publish"].map((name) => readProjectFile(`.github/workflows/${name}.yml`));

	it("use actions of others by their commit, because a tag can be moved", () => {
		const used = workflows.flatMap((text) => [...text.matchAll(/uses: (\S+)/g)].map(([, action = ""]) => action));
		const foreign = used.filter((action) => !action.startsWith("./"));
		expect(foreign.length).toBeGreaterThan(3);
		expect(foreign.filter((action) => !/@[0-9a-f]{40}$/.test(action))).toEqual([]);
	});

	it("give the deployment's token only to the step that deploys", () => {
		const lines = workflows.flatMap((text) => text.split("\n")).filter((line) => line.includes("secrets.CLOUDFLARE_API_TOKEN"));
		expect(lines).toEqual([expect.stringMatching(/^ {10}CLOUDFLARE_API_TOKEN: \$\{\{ secrets\.CLOUDFLARE_API_TOKEN \}\}$/)]);
	});
});
