import type * as z from "zod";
import { listFaults, readVariables } from "./setting.ts";
import { settings } from "./settings.ts";

/** A deployment has this configuration. settings.ts describes its settings. */
export type Config = Readonly<z.output<typeof settings>>;

const parsedConfigs = new WeakMap<object, Config>();

/**
 * Parses the deployment's configuration, once for each environment object.
 *
 * @throws Error that names every variable which is missing or wrong.
 */
export function parseConfig(env: Env): Config {
	const config = parsedConfigs.get(env);
	if (config !== undefined) return config;
	const parsed = settings.safeParse(readVariables(settings, env));
	if (!parsed.success) {
		const faults = listFaults(settings, parsed.error).map(({ variable, message }) => `${variable}: ${message}`);
		throw new Error(`This deployment is not configured correctly. ${faults.join("; ")}. See docs/pages/operating/configuration.mdx.`);
	}
	parsedConfigs.set(env, parsed.data);
	return parsed.data;
}
