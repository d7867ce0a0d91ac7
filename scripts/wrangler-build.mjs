// The custom build of wrangler.toml prepares the site and the local databases for plain `npx wrangler dev`, as npm start does. wrangler
// also runs it for deployments. It then skips the local databases, and fails unless npm run deploy has started wrangler. WRANGLER_COMMAND
// names wrangler's command. This is plain JavaScript without dependencies, like scripts/setup.mjs.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { withLock } from "./setup/lock.mjs";

const SCRIPTS = fileURLToPath(new URL(".", import.meta.url));
const RECORD = join(SCRIPTS, "..", ".wrangler", "prepared-for");
const LOCK = join(SCRIPTS, "..", ".wrangler", "build.lock");
const NOTE = `Cron triggers do not fire under plain wrangler dev, so sweeps (retries, clean-up, retention) do not run.
npm start fires them every minute. To run the sweeps once, request /cdn-cgi/local/scheduled?cron=*+*+*+*+*`;

const UPLOADING = ["deploy", "versions upload"];
const REFUSAL = `Use npm run deploy, or npm run deploy -- --dry-run. Nothing was changed.
Without it, wrangler would upload the Worker before the schema that it needs, and create the class of the grader's container without its
container, which Cloudflare cannot repair later (docs/pages/operating/deploying.mdx).`;

if (UPLOADING.includes(process.env.WRANGLER_COMMAND) && process.env.PLATFORM_DEPLOYS !== "true") {
	console.error(REFUSAL);
	process.exitCode = 1;
}

// wrangler builds a second time at once when its configuration changes, and two builds cannot migrate the same database.
if (process.env.WRANGLER_COMMAND === "dev" && process.env.PLATFORM_PREPARED !== "true") withLock(LOCK, prepareOnce);

/** Prepares only at the start. wrangler runs the build again after each change of the code, and it must then be quick. */
function prepareOnce() {
	const wrangler = identifyWrangler();
	if (wrangler !== null && readRecord() === wrangler) return;
	const args = [join(SCRIPTS, "setup.mjs"), "node", join(SCRIPTS, "local-state.ts")];
	const { status } = spawnSync(process.execPath, args, { stdio: "inherit" });
	process.exitCode = status ?? 1;
	if (status !== 0) return;
	console.log(NOTE);
	mkdirSync(dirname(RECORD), { recursive: true });
	writeFileSync(RECORD, wrangler ?? "");
}

/**
 * Returns the id and the start time of wrangler, because process ids are reused.
 * The parent may be a shell that is new for each build, so the shell's parent identifies wrangler.
 * With or without the shell, that process lives as long as wrangler. Returns null if `ps` is missing, so that every build prepares.
 */
function identifyWrangler() {
	const id = readProcess("ppid=", process.ppid);
	const startedAt = id && readProcess("lstart=", id);
	return startedAt ? `${id} ${startedAt}` : null;
}

function readProcess(field, id) {
	const { status, stdout } = spawnSync("ps", ["-o", field, "-p", String(id)], { encoding: "utf8" });
	return status === 0 ? stdout.trim() : null;
}

function readRecord() {
	try {
		return readFileSync(RECORD, "utf8");
	} catch {
		return null;
	}
}
