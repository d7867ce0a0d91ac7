// Runs the platform of a checkout in the same way as npm start. It plays the deployed Worker.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { startCommand } from "../support/run-command.ts";
import { pathOfRecord, recordMigrations } from "../support/state-record.ts";

const POLL_MS = 100;
const TIMEOUT_MS = 120_000;

export interface PlatformPlace {
	readonly port: number;
	readonly stateDir: string;
}

export interface RunningPlatform {
	readonly url: string;
	/** Waits until the platform's output contains this text. */
	waitFor(text: string): Promise<void>;
	stop(): Promise<void>;
}

/** Starts the platform of a checkout and waits until it is up. Its documentation is built separately. */
export async function startPlatform(root: string, { port, stateDir }: PlatformPlace): Promise<RunningPlatform> {
	// The imitation of Cloudflare's API migrates these databases, so the folder contains data but no record of its migrations.
	rmSync(pathOfRecord(stateDir), { force: true });
	recordMigrations(stateDir, { hasData: false });
	const env = { PORT: String(port), STATE_DIR: stateDir, DOCS: "false" };
	const { child, output, ended } = startCommand([process.execPath, join(root, "scripts", "start.ts")], { env, cwd: root });
	let isOver = false;
	ended.finally(() => {
		isOver = true;
	});
	const platform: RunningPlatform = {
		url: `http://127.0.0.1:${port}`,
		async waitFor(text) {
			const giveUpAt = performance.now() + TIMEOUT_MS;
			while (!output.stdout.includes(text)) {
				if (isOver || performance.now() > giveUpAt) throw new Error(`“${text}” did not appear in:\n${output.stdout}${output.stderr}`);
				await delay(POLL_MS);
			}
		},
		async stop() {
			child.kill("SIGTERM");
			await ended;
		},
	};
	try {
		await platform.waitFor("Stop with Ctrl-C");
	} catch (error) {
		await platform.stop();
		throw error;
	}
	return platform;
}
