// Provides a copy of the files of `npm run migration` for tests to change.
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { listMigrations } from "../../scripts/support/databases.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url).href);

export interface ProjectCopy {
	readonly migrations: string;
	/** Replaces text in a file, and fails if the text is missing. */
	edit(path: string, from: string | RegExp, to: string): Promise<void>;
	/** Runs `npm run migration` and returns the file that it wrote, or null. */
	migrate(name: string): Promise<string | null>;
	/** Runs `npm run migration`, expects it to fail, and returns its output. */
	failToMigrate(name: string): Promise<string>;
	/** Runs `npm run migration -- --squash`. */
	squash(): Promise<void>;
	/** Runs `npm run migration -- --release`. */
	release(): Promise<void>;
	/** Starts from a folder without migrations. */
	removeMigrations(): Promise<void>;
	/** Starts from the tables of `fixture-schema`, and from no migrations and no release, because the project's own ones change. */
	useFixture(): Promise<void>;
	remove(): Promise<void>;
}

const COPIED = ["src", "scripts", "packages/sdk/src", "migrations", "migrations-search", "biome.json", "package.json"];

export async function copyProject(): Promise<ProjectCopy> {
	const folder = await mkdtemp(join(tmpdir(), "migration-test-"));
	const migrations = join(folder, "migrations");
	for (const path of COPIED) {
		await cp(join(ROOT, path), join(folder, path), { recursive: true });
	}
	await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"));
	const removeMigrations = async () => {
		await rm(migrations, { recursive: true });
		await mkdir(migrations);
	};
	const succeed = async (flag: string) => {
		const { code, output } = await run(folder, flag);
		if (code !== 0) throw new Error(output);
	};
	return {
		migrations,
		async edit(path, from, to) {
			const text = await readFile(join(folder, path), "utf8");
			const changed = text.replace(from, to);
			if (changed === text) throw new Error(`${path} does not contain ${from}.`);
			await writeFile(join(folder, path), changed);
		},
		async migrate(name) {
			const before = listMigrations(migrations);
			const { code, output } = await run(folder, "--name", name);
			if (code !== 0) throw new Error(output);
			return listMigrations(migrations).find((file) => !before.includes(file)) ?? null;
		},
		async failToMigrate(name) {
			const { code, output } = await run(folder, "--name", name);
			if (code === 0) throw new Error(`The migration was written:\n${output}`);
			return output;
		},
		squash: () => succeed("--squash"),
		release: () => succeed("--release"),
		removeMigrations,
		async useFixture() {
			await rm(join(folder, "src/db/schema"), { recursive: true });
			await cp(join(ROOT, "test/contract/fixture-schema"), join(folder, "src/db/schema"), { recursive: true });
			await removeMigrations();
			await rm(join(folder, "scripts/migration/released.json"));
		},
		remove: () => rm(folder, { recursive: true, force: true }),
	};
}

function run(folder: string, ...args: readonly string[]): Promise<{ code: number | string; output: string }> {
	return new Promise((resolve) => {
		execFile(process.execPath, ["scripts/migration.ts", ...args], { cwd: folder }, (error, stdout, stderr) => {
			resolve({ code: error === null ? 0 : (error.code ?? 1), output: stripVTControlCharacters(`${stdout}${stderr}`) });
		});
	});
}
