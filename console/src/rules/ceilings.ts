// Converts spending ceilings between the platform's values and what operators type, and finds what changed.
import { formatUsd } from "../../../src/domain/formats.ts";

const UNITS = {
	usd: { label: "US dollars", min: 0.01, max: 1_000_000_000, fault: "An amount, such as 12.50.", format: formatUsd },
	percent: {
		label: "Percent of the budget",
		min: 0.01,
		max: 100,
		fault: "From 0.01 to 100.",
		format: (value: number) => `${value} %`,
	},
} as const;

const CEILINGS = [
	{ id: "task_usd", unit: "usd", label: "One task" },
	{ id: "poster_day_usd", unit: "usd", label: "All tasks of one poster, in a day (UTC)" },
	{ id: "deployment_day_usd", unit: "usd", label: "The whole deployment, in a day (UTC)" },
	{ id: "task_budget_percent", unit: "percent", label: "One task, by its budget" },
] as const;

type CeilingId = (typeof CEILINGS)[number]["id"];

export interface Ceiling {
	readonly id: CeilingId;
	readonly unit: keyof typeof UNITS;
	readonly label: string;
	/** Null if there is no ceiling. */
	readonly value: number | null;
}

type CeilingChange = { [Id in CeilingId]?: number | null } & { as_configured?: CeilingId[] };

export function toCeilings(ceilings: Readonly<Record<CeilingId, number | null>>): readonly Ceiling[] {
	return CEILINGS.map((ceiling) => ({ ...ceiling, value: ceilings[ceiling.id] }));
}

/** Formats a ceiling as "$12.50", "10 %" or "no ceiling". */
export function formatCeiling({ unit, value }: Ceiling): string {
	return value === null ? "no ceiling" : UNITS[unit].format(value);
}

export const labelOfUnit = ({ unit }: Ceiling): string => UNITS[unit].label;

/** Formats the ceiling for its input field. Returns an empty string if there is no ceiling. */
export function writeCeiling({ value }: Ceiling): string {
	return value === null ? "" : String(value);
}

/** Parses the typed ceiling. Returns null for an empty string, which means no ceiling, and undefined for invalid text. */
function readCeiling(text: string, { unit }: Ceiling): number | null | undefined {
	if (text.trim() === "") return null;
	const { min, max } = UNITS[unit];
	if (!/^\s*(?:\d{1,3}(?:,\d{3})+|\d{1,13})(?:\.\d{1,2})?\s*$/.test(text)) return undefined;
	const value = Number(text.replaceAll(",", ""));
	return value >= min && value <= max ? value : undefined;
}

/** Returns what is wrong with a typed ceiling, or null if it can be set. */
export function findCeilingFault(text: string, ceiling: Ceiling): string | null {
	return readCeiling(text, ceiling) === undefined ? UNITS[ceiling.unit].fault : null;
}

/** Finds the change that the typed text makes. Returns null if nothing changes or the text is invalid. */
export function toChange(ceiling: Ceiling, text: string): CeilingChange | null {
	const next = readCeiling(text, ceiling);
	return next === undefined || next === ceiling.value ? null : { [ceiling.id]: next };
}

/** Resets a ceiling to the deployment's configuration. */
export function toConfigured({ id }: Ceiling): CeilingChange {
	return { as_configured: [id] };
}
