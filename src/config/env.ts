import type * as z from "zod";
import type { SwitchName } from "../domain/switches.ts";
import { consoleLog } from "../platform/log.ts";
import { listFaults, readVariables, type SettingFault } from "./setting.ts";
import { settings } from "./settings.ts";

/** A deployment's configuration, parsed from the settings in settings.ts. */
export interface Config extends Readonly<z.output<typeof settings>> {
	/** The settings with invalid values, which the platform ignores. */
	readonly invalidSettings: readonly InvalidSetting[];
}

interface InvalidSetting {
	readonly name: string;
	/** What is wrong with the value. Never contains the value itself, which can be a secret. */
	readonly problem: string;
	/** The switch that stays off until the setting is fixed. Null if the setting has no such effect. */
	readonly closes: SwitchName | null;
}

/**
 * Parses a configuration in which every setting must be valid, to check it before a deployment.
 *
 * @throws Error that names every variable that is missing or wrong.
 */
export function parseConfig(env: object): Config {
	const parsed = settings.safeParse(readVariables(settings, env));
	const faults = parsed.success ? listMisplaced(parsed.data) : listFaults(settings, parsed.error);
	if (!parsed.success || faults.length > 0) throw invalidConfiguration(faults);
	return { ...parsed.data, invalidSettings: [] };
}

/**
 * Returns what is wrong with JURISDICTION. Other invalid settings are ignored, but if this one was, the platform would open the objects of
 * another jurisdiction.
 */
function listMisplaced({ placement: { problem } }: z.output<typeof settings>) {
	return problem === null ? [] : [{ variable: "JURISDICTION", message: problem }];
}

function invalidConfiguration(faults: readonly Pick<SettingFault, "variable" | "message">[]): Error {
	const problems = faults.map(({ variable, message }) => `${variable}: ${message}`);
	return new Error(`This deployment is not configured correctly. ${problems.join("; ")}. See docs/pages/operating/configuration.mdx.`);
}

const readConfigs = new WeakMap<object, Config>();

/**
 * Reads the deployment's configuration, once per environment object. An operator can set a secret while the platform runs, and a mistyped
 * one must not stop it. So invalid settings are logged and ignored, with the effects in docs/pages/operating/configuration.mdx.
 *
 * @throws Error that says what is wrong with a setting without which nothing can be served.
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
		// Stops at a variable that is reported although it was left out. Otherwise, this loop would never end.
		const fatal = faults.filter(({ variable, ifInvalid }) => ifInvalid === "stops" || leftOut.has(variable));
		if (fatal.length > 0) throw invalidConfiguration(fatal);
		for (const { variable, message, ifInvalid, group } of faults) {
			const closes = typeof ifInvalid === "object" ? ifInvalid.closes : null;
			invalid.set(variable, { name: variable, problem: message, closes });
			for (const name of group) leftOut.add(name);
		}
	}
}
