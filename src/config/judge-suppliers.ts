// Parses the names of models in JUDGE_MODELS, and finds the base URL and the key of a model's supplier.
import { splitList } from "./setting.ts";

/** The kinds of suppliers. `chat` is any server with a chat-completions API. */
export type SupplierKind = "openai" | "anthropic" | "workers-ai" | "chat";

export interface SuppliedModel {
	readonly kind: SupplierKind;
	/**
	 * The supplier's name in the settings: `openai`, `anthropic`, `workers-ai`, or the name of a compatible server. Empty for a model whose
	 * name has no supplier.
	 */
	readonly supplier: string;
	/** The supplier's name for the model. */
	readonly model: string;
	/** The reasoning effort, from the end of the name of an OpenAI model, as in `model@low`. Null if the name has none. */
	readonly effort: string | null;
}

const PREFIXED = /^(openai|anthropic|workers-ai):(.+)$/;
const COMPATIBLE = /^compatible:([a-z0-9][a-z0-9-]*)\/(.+)$/;
const EFFORT = /^(.+)@(none|minimal|low|medium|high|xhigh)$/;

/** Parses a name in JUDGE_MODELS. A model without a supplier belongs to the only server in JUDGE_BASE_URL. */
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

/** Parses `name=value,...`. A value without a name gets an empty name. */
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
 * Finds the URL and the key for a model. Returns null if the settings lack one of them.
 *
 * @param settings The values of JUDGE_BASE_URL and JUDGE_API_KEY: one value, or a list of `supplier=value`. The supplier `gateway` stands
 * for an AI Gateway that leads to OpenAI, Anthropic and Workers AI.
 */
export function findSupplierEndpoint(
	{ supplier }: SuppliedModel,
	settings: { readonly baseUrl: string; readonly apiKey: string },
): { readonly url: string; readonly apiKey: string } | null {
	const urls = readNamed(settings.baseUrl);
	// A single key may contain an equals sign. The value is only a list if it begins like `supplier=key`.
	const keys = /^[a-z0-9][a-z0-9-]*=[^=]/.test(settings.apiKey) ? readNamed(settings.apiKey) : new Map([["", settings.apiKey]]);
	const gateway = urls.get("gateway");
	const path = GATEWAY_PATHS[supplier];
	const throughGateway = gateway === undefined || path === undefined ? undefined : gateway.replace(/\/+$/, "") + path;
	const url = urls.get(supplier) ?? throughGateway ?? DEFAULT_URLS[supplier];
	const apiKey = keys.get(supplier) ?? keys.get("");
	return url === undefined || apiKey === undefined ? null : { url: url.replace(/\/+$/, ""), apiKey };
}
