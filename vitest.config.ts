import { createHash } from "node:crypto";
import { accessSync, constants, readFileSync, statfsSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-pool-workers";
import { parse } from "smol-toml";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { z } from "zod";
import { makeDevVars } from "./scripts/setup/dev-vars.mjs";
import { isCoreOnly } from "./scripts/setup/extensions.mjs";
import { refuseOwnValues } from "./scripts/setup/own-values.ts";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url).href);

// The tests run with the values of development, also if npm does not start them.
makeDevVars(here("."));
refuseOwnValues(here("."));

const MEMORY_FOLDER = "/dev/shm";
const MIN_MEMORY_BYTES = 2 * 1024 ** 3;
/** The other tests install packages and unpack images, which may need more than the memory. */
const ON_DISK = { TMPDIR: tmpdir() };

/**
 * The Workers runtime has its databases below the folder for temporary files. In memory a write is several times faster, because it does
 * not wait for the disk.
 */
if (hasMemoryFolder()) process.env["TMPDIR"] = MEMORY_FOLDER;

function hasMemoryFolder(): boolean {
	try {
		accessSync(MEMORY_FOLDER, constants.W_OK);
		const { bavail, bsize } = statfsSync(MEMORY_FOLDER);
		return bavail * bsize >= MIN_MEMORY_BYTES;
	} catch {
		return false;
	}
}

/** These are bundled once for all test files, which otherwise each load them module by module. */
const BUNDLED = [
	"zod",
	"drizzle-orm",
	"drizzle-orm/d1",
	"drizzle-orm/durable-sqlite",
	"drizzle-orm/durable-sqlite/migrator",
	"drizzle-orm/sqlite-core",
	"hono",
	"hono/cors",
	"hono/etag",
	"viem/utils",
	"oauth4webapi",
	"@zip.js/zip.js/lib/zip-core-custom.js",
	"fflate",
	"ipaddr.js",
	"fast-check",
	"@remix-run/multipart-parser",
];

/**
 * These files below test/ take long: real containers, a browser, deployments, packages that are packed and installed, a clone of the
 * project that runs by itself, and faults at every step. .ci/run sets LONG_TESTS, so that they run with every change. They start in this
 * order, the longest first, because a long file that starts last would keep one core busy and leave the other idle.
 */
const LONG_TESTS = [
	"e2e/outage",
	"e2e/rehearsal",
	"e2e/console",
	"e2e/cli",
	"e2e/two-versions",
	"e2e/pages",
	"e2e/container-judging",
	"e2e/sdk",
	"e2e/docs-site",
	"e2e/admin-command",
	"e2e/judge-command",
	"e2e/killed",
	"e2e/wrangler-dev",
	"e2e/console-agent",
	"e2e/streams",
	"e2e/console-account",
	"e2e/visitor",
	"e2e/console-poster",
	"e2e/doc-samples",
	"e2e/grader-attacks",
	"e2e/console-news",
	"e2e/live-demo",
	"e2e/schema-fuzz",
	"e2e/console-passkeys",
	"e2e/grader-engine",
	"e2e/newcomer",
	"e2e/console-operator",
	"e2e/python",
	"e2e/grader-lifecycle",
	"e2e/python-types",
	"e2e/grader-commands",
	"e2e/console-desk",
	"e2e/console-submitting",
	"e2e/console-coach",
	"e2e/mcp",
	"e2e/doors",
	"e2e/deploying",
	"e2e/core-only",
	"e2e/restart",
	"e2e/packages",
	"e2e/rotate-key",
	"contract/openapi-linters",
	"contract/migration-command",
	"rules/judging-simulations",
	"rules/pumped-inputs",
	"api/endpoint-faults-competition",
	"extensions/final-round/inside/crashes",
	"api/large-bodies",
	"api/endpoint-faults-reads",
	"faults/loop",
	"api/endpoint-faults-writes",
	"queues/stored-object-crashes",
	"runtime/archive-cost",
].map((name) => `test/${name}.test.ts`);
const leftOut = process.env["LONG_TESTS"] === "true" ? [] : LONG_TESTS;

/** The hash is the SHA-256 of the admin token of test/support/admin.ts. */
const ADMIN = {
	ADMIN_TOKEN_SHA256: createHash("sha256")
		.update(`svc_admin_${"a".repeat(64)}`)
		.digest("hex"),
};

/** test/support/counted-limits.ts counts these. */
const { ratelimits: LIMITS } = z
	.object({ ratelimits: z.array(z.object({ name: z.string(), simple: z.object({ limit: z.number(), period: z.number() }) })) })
	.parse(parse(readFileSync(here("./wrangler.toml"), "utf8")));

/** Vitest puts large files first and does not know how long they take. */
class LongFirst extends BaseSequencer {
	override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
		const placeOf = ({ moduleId }: TestSpecification) => {
			const place = LONG_TESTS.findIndex((file) => moduleId.endsWith(`/${file}`));
			return place === -1 ? LONG_TESTS.length : place;
		};
		return (await super.sort(files)).toSorted((a, b) => placeOf(a) - placeOf(b));
	}
}

/** `EXTENSIONS=none npm test -- --project=workers` runs these without extensions. A list replaces the pool's own conditions. */
const CORE_CONDITIONS = ["workerd", "worker", "module", "browser", "development", "core-only"];
const CORE_TESTS = ["common", "authorisation-matrix"].map((name) => `test/api/${name}.test.ts`);

/** These tests of an extension are pure functions, so they need no Workers runtime. */
const PURE_TESTS_OF_EXTENSIONS = "test/extensions/*/rules/**/*.test.ts";

const FAULTS = process.env["FAULTS"];
/**
 * FAULTS sets how many faults test/faults plays, and FAULTS_SEED chooses them. Without FAULTS, api/endpoint-faults-* play one of three.
 */
const FAULT_RUN = {
	faults: Number(FAULTS ?? 150),
	seed: Number(process.env["FAULTS_SEED"] ?? 20_261_122),
	playsOneOf: FAULTS === undefined ? 3 : 1,
};

/** Two cores run three files and a compiler, so a condition may take much longer than vitest's default of a second. */
const PATIENCE = { poll: { timeout: 30_000 } };
/** A limit only ends a test that hangs: a machine that runs everything at once can be ten times slower than an idle one. */
const LIMIT_MS = 300_000;
/** In .ci/run a test that fails is repeated once, which distinguishes a fault from a busy machine. */
const RETRY = process.env["CI"] === "true" ? 1 : 0;

/**
 * Between files, test/support/empty-storage.ts aborts the objects of the previous file. Calls that still wait for them then fail outside
 * of any test; every other unhandled error fails the run.
 */
const ABORTED = /abortAllDurableObjects|on behalf of a different Durable Object/;

export default defineConfig({
	test: {
		silent: "passed-only",
		sequence: { sequencer: LongFirst },
		onUnhandledError: ({ message }) => !ABORTED.test(message),
		// A test waits a third of its time for a container, a browser or a clock, so there are more workers than cores.
		maxWorkers: Math.ceil(1.5 * availableParallelism()),
		projects: [
			{
				plugins: [
					cloudflareTest({
						wrangler: { configPath: "./wrangler.toml" },
						remoteBindings: false,
						// Vitest reports the errors that matter. The runtime also prints each request to a host that does not exist.
						verbose: false,
						miniflare: {
							bindings: {
								...ADMIN,
								JUDGE_CHECK: "false",
								SUBMISSIONS_MAX_QUEUE_AGE_SECONDS: "99999999",
								TEST_LIMITS: Object.fromEntries(LIMITS.map(({ name, simple }) => [name, simple])),
								TEST_MIGRATIONS: await readD1Migrations(here("./migrations")),
								TEST_SEARCH_MIGRATIONS: await readD1Migrations(here("./migrations-search")),
							},
						},
					}),
				],
				// .ci/run tests the core and the whole platform at the same time, and each has its own bundles.
				...(isCoreOnly() ? { cacheDir: here("./node_modules/.vite/core"), ssr: { resolve: { conditions: CORE_CONDITIONS } } } : {}),
				test: {
					name: "workers",
					// Loading the platform anew for each file took as long as the tests. test/support/empty-storage.ts empties the storage.
					isolate: false,
					expect: PATIENCE,
					retry: RETRY,
					include: isCoreOnly() ? CORE_TESTS : ["test/{api,durable-objects,extensions,faults,queues,objects,runtime}/**/*.test.ts"],
					exclude: [...leftOut, PURE_TESTS_OF_EXTENSIONS],
					provide: { faultRun: FAULT_RUN },
					globalSetup: [
						"./test/support/judge-server.ts",
						"./test/support/hostile-receiver.ts",
						"./test/support/grader-server.ts",
						"./test/support/evm-server.ts",
					],
					setupFiles: ["./test/support/log-of-failures.ts", "./test/support/empty-storage.ts"],
					deps: { optimizer: { ssr: { enabled: true, include: BUNDLED } } },
					testTimeout: LIMIT_MS,
					hookTimeout: LIMIT_MS,
				},
			},
			{
				test: {
					name: "node",
					env: ON_DISK,
					// A process for each file would load Node, the libraries and the platform anew, which takes longer than most files.
					isolate: false,
					expect: PATIENCE,
					retry: RETRY,
					include: ["test/{e2e,grader,packages,rules}/**/*.test.ts", PURE_TESTS_OF_EXTENSIONS],
					exclude: leftOut,
					testTimeout: LIMIT_MS,
					hookTimeout: LIMIT_MS,
				},
			},
			{
				test: {
					name: "contract",
					env: ON_DISK,
					isolate: false,
					expect: PATIENCE,
					retry: RETRY,
					include: ["test/contract/**/*.test.ts"],
					exclude: leftOut,
					// The Workers runtime has `Uint8Array.fromBase64`; Node 24 hides it behind this flag, with which
					// the OpenID Connect provider of test/e2e writes broken tokens.
					execArgv: ["--js-base-64"],
					testTimeout: LIMIT_MS,
					hookTimeout: LIMIT_MS,
				},
			},
		],
	},
});
