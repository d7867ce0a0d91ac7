// npm run restore -- --from <folder or bucket> [--env name | --remote]: a backup into an empty database.
// docs/pages/operating/backup.mdx says what a backup contains and how a restore goes.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { openSource } from "./restore/source.ts";
import { buildStaging } from "./restore/staging.ts";
import { assertEmpty, load, migrate, type RestoreTarget, verify } from "./restore/target.ts";
import { CommandError, runCommand } from "./support/command.ts";
import { readPlace } from "./support/platform.ts";

const USAGE = `npm run restore -- --from <folder or bucket> [--env <name> | --remote] [--source-state <folder>]

  --from          a folder with a backup, or <bucket> for its newest backup, or <bucket>/<backup id>
  --env           restores into the database of this environment of wrangler.toml
  --remote        restores into the database of the top level of wrangler.toml
  --source-state  the state folder of a local platform that has the bucket; otherwise the account's bucket is read

Without --env and --remote, it restores into the local database in STATE_DIR. Stop the local platform first.`;

await runCommand(async () => {
	const text = { type: "string" } as const;
	const flag = { type: "boolean" } as const;
	const options = { from: text, env: text, "source-state": text, remote: flag, help: flag };
	const { values } = parseArgs({ options });
	if (values.help) return console.log(USAGE);
	if (values.from === undefined) throw new CommandError(`Say where the backup is.\n\n${USAGE}`);
	const isRemote = values.remote === true || values.env !== undefined;
	const target: RestoreTarget = isRemote
		? { kind: "remote", environment: values.env ?? null }
		: { kind: "local", stateDir: readPlace().stateDir };
	const stateDir = values["source-state"] === undefined ? null : resolve(values["source-state"]);
	await restore(values.from, { target, stateDir });
});

async function restore(from: string, { target, stateDir }: { target: RestoreTarget; stateDir: string | null }): Promise<void> {
	const folder = await mkdtemp(join(tmpdir(), "bounty-platform-staging-"));
	const source = await openSource({ from, stateDir });
	try {
		const { manifest } = source;
		console.log(`Reading the backup ${manifest.id}, which was made from ${manifest.started_at} to ${manifest.ended_at}.`);
		await assertEmpty(target);
		await migrate(target);
		const { db, dropped } = await buildStaging(source, join(folder, "staging.sqlite"));
		for (const [table, rows] of dropped)
			console.log(`Left out ${rows} rows of ${table}: what they belong to was deleted during the backup.`);
		console.log("Writing the rows.");
		await load(target, db);
		const counts = await verify(target, db);
		db.close();
		const rows = Object.values(counts).reduce((sum, count) => sum + count, 0);
		console.log(`Restored ${rows} rows into ${Object.keys(counts).length} tables, with triggers and search index.

Next, make sure that the bucket has its objects: the backup lists ${manifest.objects.rows}. Then run npm run smoke.`);
	} finally {
		await source.close();
		await rm(folder, { recursive: true, force: true });
	}
}
