import type * as z from "zod";
import type { SwitchName } from "../domain/switches.ts";
import { consoleLog } from "../platform/log.ts";
import { listFaults, readVariables, type SettingFault } from "./setting.ts";
import { settings } from "./settings.ts";

/** A deployment has this configuration. settings.ts describes its settings. */
export interface Config extends Readonly<z.output<typeof settings>> {
	/** The platform goes on without these settings. */
	readonly invalidSettings: readonly InvalidSetting[];
}

interface InvalidSetting {
	readonly name: string;
	/** The problem, which never contains the value. */
	readonly problem: string;
	/** This is closed until the setting is mended. Null if the setting bounds or places nothing. */
	readonly closes: SwitchName | null;
}

/**
 * Parses a configuration in which every setting must be valid. Deployments are checked with it.
 *
 * @throws Error that names every variable which is missing or wrong.
 */
export function parseConfig(env: object): Config {
	const parsed = settings.safeParse(readVariables(settings, env));
	const faults = parsed.success ? listMisplaced(parsed.data) : listFaults(settings, parsed.error);
	if (!parsed.success || faults.length > 0) throw invalidConfiguration(faults);
	return { ...parsed.data, invalidSettings: [] };
}

/** The setting stays invalid, because otherwise objects of another jurisdiction would be opened instead. */
function listMisplaced({ placement: { problem } }: z.output<typeof settings>) {
	return problem === null ? [] : [{ variable: "JURISDICTION", message: problem }];
}

function invalidConfiguration(faults: readonly Pick<SettingFault, "variable" | "message">[]): Error {
	const problems = faults.map(({ variable, message }) => `${variable}: ${message}`);
	return new Error(`This deployment is not configured correctly. ${problems.join("; ")}. See docs/pages/operating/configuration.mdx.`);
}

const readConfigs = new WeakMap<object, Config>();

/**
 * Reads the deployment's configuration, once for each environment object. An operator can set a secret while the platform runs, so a mistyped
 * one must not stop it: it is left out, logged, and has the effect that docs/pages/operating/configuration.mdx names.
 *
 * @throws Error that names what is wrong with a setting without which nothing can be served.
 */
export function readConfig(env: object): Config {
	const cached = readConfigs.get(env);
	if (cached !== undefined) return cached;
	const config = readValid(env);
	for (const { name, problem } of config.invalidSettings) consoleLog.error("setting_invalid", { setting: name, problem });
	readConfigs.set(env, config);
	return config;
}

function readValid(env: object): Config {
	const leftOut = new Set<string>();
	const invalid = new Map<string, InvalidSetting>();
	for (;;) {
		const parsed = settings.safeParse(readVariables(settings, env, leftOut));
		if (parsed.success) {
			const misplaced = listMisplaced(parsed.data).map(({ variable, message }) => ({
				name: variable,
				problem: message,
				closes: "writes" as const,
			}));
			return { ...parsed.data, invalidSettings: [...invalid.values(), ...misplaced] };
		}
		const faults = listFaults(settings, parsed.error);
		// Stops if a variable that was already left out is still reported as wrong.
		const fatal = faults.filter(({ variable, ifInvalid }) => ifInvalid === "stops" || leftOut.has(variable));
		if (fatal.length > 0) throw invalidConfiguration(fatal);
		for (const { variable, message, ifInvalid, group } of faults) {
			const closes = typeof ifInvalid === "object" ? ifInvalid.closes : null;
			invalid.set(variable, { name: variable, problem: message, closes });
			for (const name of group) leftOut.add(name);
		}
	}
}
