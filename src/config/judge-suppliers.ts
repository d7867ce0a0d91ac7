// Parses the model suppliers in JUDGE_MODELS, and finds each one's base URL and key.
import { splitList } from "./setting.ts";

/** `chat` is any server that speaks the chat-completions protocol. */
export type SupplierKind = "openai" | "anthropic" | "workers-ai" | "chat";

export interface SuppliedModel {
	readonly kind: SupplierKind;
	/**
	 * The supplier's name in settings and health: `openai`, `anthropic`, `workers-ai`, or the name of a compatible server. Empty if there is
	 * only one server.
	 */
	readonly supplier: string;
	/** The supplier's name for the model. */
	readonly model: string;
	/** The reasoning effort at the end of a model name for OpenAI. Null without one. */
	readonly effort: string | null;
}

const PREFIXED = /^(openai|anthropic|workers-ai):(.+)$/;
const COMPATIBLE = /^compatible:([a-z0-9][a-z0-9-]*)\/(.+)$/;
const EFFORT = /^(.+)@(none|minimal|low|medium|high|xhigh)$/;

/** Parses an entry of JUDGE_MODELS. A name without a supplier belongs to the server at the only base URL. */
export function readModel(name: string): SuppliedModel {
	const compatible = COMPATIBLE.exec(name);
	if (compatible !== null) return { kind: "chat", supplier: compatible[1] ?? "", model: compatible[2] ?? "", effort: null };
	const prefixed = PREFIXED.exec(name);
	if (prefixed === null) return { kind: "chat", supplier: "", model: name, effort: null };
	const [, supplier = "", model = ""] = prefixed;
	const kind = supplier === "anthropic" || supplier === "workers-ai" ? supplier : "openai";
	const effort = kind === "openai" ? EFFORT.exec(model) : null;
	return { kind, supplier, model: effort?.[1] ?? model, effort: effort?.[2] ?? null };
}

const NAMED = /^([a-z0-9][a-z0-9-]*)=(.+)$/;

/** Parses `name=value,...`. A single value without a name has an empty name. */
function readNamed(list: string): Map<string, string> {
	return new Map(
		splitList(list).map((item) => {
			const [, name = "", value = item] = NAMED.exec(item) ?? [];
			return [name, value] as const;
		}),
	);
}

/** Lists the URLs of JUDGE_BASE_URL. */
export function listBaseUrls(baseUrl: string): string[] {
	return [...readNamed(baseUrl).values()];
}

const DEFAULT_URLS: Readonly<Record<string, string>> = {
	openai: "https://api.openai.com/v1",
	anthropic: "https://api.anthropic.com/v1",
};

/** AI Gateway has a separate path for each supplier. */
const GATEWAY_PATHS: Readonly<Record<string, string>> = { openai: "/openai", anthropic: "/anthropic/v1", "workers-ai": "/workers-ai/v1" };

/**
 * Finds the URL and key for a model. Returns null if the settings do not have both.
 *
 * @param settings `baseUrl` and `apiKey` as the variables have them: one value, or `supplier=value` for several; the supplier `gateway` is
 * an AI Gateway that leads to OpenAI, Anthropic and Workers AI.
 */
export function findSupplierEndpoint(
	{ supplier }: SuppliedModel,
	settings: { readonly baseUrl: string; readonly apiKey: string },
): { readonly url: string; readonly apiKey: string } | null {
	const urls = readNamed(settings.baseUrl);
	// A key may contain an equals sign, so only suppliers' names split it.
	const keys = /^[a-z0-9][a-z0-9-]*=[^=]/.test(settings.apiKey) ? readNamed(settings.apiKey) : new Map([["", settings.apiKey]]);
	const gateway = urls.get("gateway");
	const path = GATEWAY_PATHS[supplier];
	const throughGateway = gateway === undefined || path === undefined ? undefined : gateway.replace(/\/+$/, "") + path;
	const url = urls.get(supplier) ?? throughGateway ?? DEFAULT_URLS[supplier];
	const apiKey = keys.get(supplier) ?? keys.get("");
	return url === undefined || apiKey === undefined ? null : { url: url.replace(/\/+$/, ""), apiKey };
}
