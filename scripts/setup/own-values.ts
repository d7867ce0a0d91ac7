// Tests need the values of development. With a developer's own values, they would ask a model that costs money, or send alerts.
// The checks need those values too, because they read the tests' configuration and compare the types of the variables.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";

/** Lists the variables whose value in .dev.vars differs from the value of development. */
export function listOwnValues(root: string): string[] {
	const [own, ours] = [join(root, ".dev.vars"), join(root, "scripts", "setup", "development.vars")].map((path) =>
		parseEnv(readFileSync(path, "utf8")),
	);
	const names = new Set([...Object.keys(own ?? {}), ...Object.keys(ours ?? {})]);
	return [...names].filter((name) => own?.[name] !== ours?.[name]).toSorted();
}

/** Rejects a .dev.vars with a developer's own values. @throws Error that says which values differ, and what to do. */
export function refuseOwnValues(root: string): void {
	const names = listOwnValues(root);
	if (names.length === 0) return;
	throw new Error(
		`Tests and checks need the values of scripts/setup/development.vars, but .dev.vars has its own ${names.join(", ")}. Move .dev.vars away while they run.`,
	);
}
