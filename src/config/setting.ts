// A setting is a zod schema. A registry has the name of its variable, and the text about it on the settings page.
import * as z from "zod";
import type { Owned } from "../domain/owners.ts";
import type { SwitchName } from "../domain/switches.ts";

/** A group of settings, which has a heading and a table on the settings page. */
export interface SettingGroup {
	readonly heading: string;
	/** One sentence about what the group is for. */
	readonly about: string;
}

/**
 * What happens if the value is invalid. `stops`: the deployment serves nothing. `off`: what the setting would turn on stays off.
 * `default`: the default counts. `closes`: this switch stays off until the value is fixed, because ignoring the setting could do harm.
 */
export type IfInvalid = "stops" | "off" | "default" | { readonly closes: SwitchName };

interface Setting extends Owned {
	/** The name of the variable or secret. */
	readonly variable: string;
	readonly group: SettingGroup;
	/** What the setting means, as Markdown for the settings page. */
	readonly meaning: string;
	/** True for a secret, which is set with `wrangler secret put` and cannot be read back. */
	readonly isSecret?: boolean;
	/** The word that the page shows instead of a default. */
	readonly need?: "required";
	readonly ifInvalid: IfInvalid;
	/**
	 * A valid value. `npm run deploy` cannot read secrets, so it checks the configuration with this value, or with a URL if there is none.
	 */
	readonly example?: string;
}

const settings = z.registry<Setting>();

/** Returns a function that declares the settings of a group. */
export function settingsOf(heading: string, about: string) {
	const group = { heading, about };
	return <Schema extends z.ZodType>(
		variable: string,
		schema: Schema,
		{ meaning, ...rest }: Omit<Setting, "variable" | "group">,
	): Schema => {
		// Several settings can have the same schema, such as `flag`. A clone has its own entry in the registry.
		const own = schema.clone();
		settings.add(own, { variable, group, meaning, ...rest });
		return own;
	};
}

interface ListedSetting extends Setting {
	/** The value that counts if the variable is not set. Null if there is no default. */
	readonly defaultText: string | null;
}

/** Lists the settings in a schema, in their order and without duplicates. */
export function listSettings(schema: z.core.$ZodType): ListedSetting[] {
	return [...new Map(collectSettings(schema).map((setting) => [setting.variable, setting])).values()];
}

function collectSettings(schema: z.core.$ZodType): ListedSetting[] {
	const setting = settings.get(schema);
	if (setting !== undefined) return [{ ...setting, defaultText: readDefault(schema) }];
	return Object.values(shapeOf(schema)).flatMap(collectSettings);
}

/** Builds the input of a schema from an environment: each setting gets the value of its variable, unless `leftOut` has the variable. */
export function readVariables(schema: z.core.$ZodType, env: object, leftOut: ReadonlySet<string> = new Set()): unknown {
	const setting = settings.get(schema);
	if (setting !== undefined) return leftOut.has(setting.variable) ? undefined : Reflect.get(env, setting.variable);
	return Object.fromEntries(Object.entries(shapeOf(schema)).map(([name, part]) => [name, readVariables(part, env, leftOut)]));
}

export interface SettingFault {
	readonly variable: string;
	/** What is wrong. Never contains the value, which can be a secret. */
	readonly message: string;
	readonly ifInvalid: IfInvalid;
	/** The variables that are ignored: the faulty one, and those that are useless without it. */
	readonly group: readonly string[];
}

/** Lists the faults of settings in an error of their schema. */
export function listFaults(schema: z.ZodType, error: z.ZodError): SettingFault[] {
	return error.issues.map(({ path, message }) => ({ message, ...locateFault(schema, path) }));
}

/** @param group The settings of the surrounding object. Null for the whole schema, whose settings do not belong together. */
function locateFault(
	schema: z.core.$ZodType,
	path: readonly PropertyKey[],
	group: readonly Setting[] | null = null,
): Pick<SettingFault, "variable" | "ifInvalid" | "group"> {
	const [name, ...rest] = path;
	const part = name === undefined ? undefined : shapeOf(schema)[String(name)];
	if (part !== undefined) return locateFault(part, rest, settings.has(part) ? group : collectSettings(part));
	const setting = settings.get(schema);
	if (setting === undefined) return { variable: "", ifInvalid: "stops", group: [] };
	const { variable, ifInvalid } = setting;
	const others = ifInvalid === "default" ? [] : (group ?? []).filter((one) => one.ifInvalid !== "stops");
	return { variable, ifInvalid, group: [variable, ...others.map((one) => one.variable)] };
}

function shapeOf(schema: z.core.$ZodType): Readonly<Record<string, z.core.$ZodType>> {
	if (schema instanceof z.ZodObject) return schema.shape;
	return schema instanceof z.ZodPipe ? shapeOf(schema.in) : {};
}

function readDefault(schema: z.core.$ZodType): string | null {
	return schema instanceof z.ZodPrefault ? String(schema.def.defaultValue) : null;
}

export const requiredText = z.string().min(1);

export const flag = z.enum(["true", "false"]).transform((value) => value === "true");

export const httpUrl = z.url({ protocol: /^https?$/ });

/** A URL to which paths are appended, so its trailing slashes are removed. */
export const baseUrl = httpUrl.transform((url) => url.replace(/\/+$/, ""));

export function wholeNumber(min: number, max: number) {
	return z
		.string()
		.refine((digits) => /^\d{1,15}$/.test(digits) && Number(digits) >= min && Number(digits) <= max, {
			message: `must be a whole number from ${min} to ${max}`,
		})
		.transform(Number);
}

/** Returns a schema whose value is null if the variable is not set. */
export function optional<Schema extends z.ZodType>(schema: Schema) {
	return schema.nullable().default(null);
}

/** Splits a list at commas, and removes white space and empty items. */
export function splitList(list: string): string[] {
	return list
		.split(",")
		.map((item) => item.trim())
		.filter((item) => item !== "");
}
