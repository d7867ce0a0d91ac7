// Converts spending ceilings between the platform's values and what operators type, and finds the resulting change.
import { formatCount, formatUsd } from "../../../src/domain/formats.ts";

const UNITS = {
	tokens: { label: "Tokens", min: 1, max: 1_000_000_000_000, decimals: 0, fault: "A whole number, such as 500,000." },
	usd: { label: "US dollars", min: 0.01, max: 1_000_000_000, decimals: 2, fault: "An amount, such as 12.50." },
	percent: { label: "Percent of the budget", min: 0.01, max: 100, decimals: 2, fault: "From 0.01 to 100." },
} as const;
type Unit = keyof typeof UNITS;

const PAIRS = [
	{ id: "task", label: "One task" },
	{ id: "poster_day", label: "All tasks of one poster, in a day (UTC)" },
	{ id: "deployment_day", label: "The whole deployment, in a day (UTC)" },
] as const;
type PairId = (typeof PAIRS)[number]["id"];

type Pair = Readonly<Record<"tokens" | "usd", number | null>>;
type Ceilings = Readonly<Record<PairId, Pair>> & { readonly task_budget_percent: number | null };

interface Limit {
	readonly unit: Unit;
	/** It is null without a ceiling. */
	readonly value: number | null;
}

/** A ceiling has a limit for each unit that it is counted in. */
export interface Ceiling {
	readonly id: PairId | "task_budget_percent";
	readonly label: string;
	readonly limits: readonly Limit[];
}

type Setting = number | null | "configured";
type CeilingChange = { [Id in PairId]?: { tokens?: Setting; usd?: Setting } } & { task_budget_percent?: Setting };

export function toCeilings(ceilings: Ceilings): readonly Ceiling[] {
	const pairs = PAIRS.map(({ id, label }): Ceiling => {
		const { tokens, usd } = ceilings[id];
		return {
			id,
			label,
			limits: [
				{ unit: "tokens", value: tokens },
				{ unit: "usd", value: usd },
			],
		};
	});
	const share: Ceiling = {
		id: "task_budget_percent",
		label: "One task, by its budget",
		limits: [{ unit: "percent", value: ceilings.task_budget_percent }],
	};
	return [...pairs, share];
}

/** Writes a ceiling as "500,000 tokens, $12.50", "10 %" or "no ceiling". */
export function formatLimits(limits: readonly Limit[]): string {
	const texts = limits.flatMap(({ unit, value }) => (value === null ? [] : [FORMATS[unit](value)]));
	return texts.length === 0 ? "no ceiling" : texts.join(", ");
}

const FORMATS: Readonly<Record<Unit, (value: number) => string>> = {
	tokens: (value) => `${formatCount(value)} tokens`,
	usd: formatUsd,
	percent: (value) => `${value} %`,
};

export const labelOfUnit = (unit: Unit): string => UNITS[unit].label;

/** Writes the limit as it is typed. Returns an empty text without a ceiling. */
export function writeLimit({ value }: Limit): string {
	return value === null ? "" : String(value);
}

/** Reads the limit that was typed. Returns null for an empty text, which means no ceiling, and undefined for anything else. */
function readLimit(text: string, unit: Unit): number | null | undefined {
	if (text.trim() === "") return null;
	const { min, max, decimals } = UNITS[unit];
	const match = /^\s*(?:\d{1,3}(?:,\d{3})+|\d{1,13})(?:\.(\d+))?\s*$/.exec(text);
	if (match === null || (match[1] ?? "").length > decimals) return undefined;
	const value = Number(text.replaceAll(",", ""));
	return value >= min && value <= max ? value : undefined;
}

/** Finds the fault of a limit as typed. Returns null if it can be set. */
export function findLimitFault(text: string, { unit }: Limit): string | null {
	return readLimit(text, unit) === undefined ? UNITS[unit].fault : null;
}

/** Finds the change from the limits to the typed text. Returns null if nothing changes, and while some text is invalid. */
export function toChange(ceiling: Ceiling, texts: readonly string[]): CeilingChange | null {
	const typed = ceiling.limits.map((limit, index) => ({ ...limit, next: readLimit(texts[index] ?? "", limit.unit) }));
	const changed = typed.flatMap(({ unit, value, next }) => (next === undefined || next === value ? [] : [{ unit, setting: next }]));
	if (changed.length === 0 || typed.some(({ next }) => next === undefined)) return null;
	return changeOf(ceiling, changed);
}

/** Resets a ceiling to the configuration of the deployment. */
export function toConfigured(ceiling: Ceiling): CeilingChange {
	return changeOf(
		ceiling,
		ceiling.limits.map(({ unit }) => ({ unit, setting: "configured" })),
	);
}

function changeOf({ id }: Ceiling, settings: readonly { readonly unit: Unit; readonly setting: Setting }[]): CeilingChange {
	if (id === "task_budget_percent") {
		const [first] = settings;
		return first === undefined ? {} : { task_budget_percent: first.setting };
	}
	return { [id]: Object.fromEntries(settings.map(({ unit, setting }) => [unit, setting])) };
}
