import ipaddr from "ipaddr.js";
import { getDomain } from "tldts";
import { PRIVATE_SUFFIXES } from "../domain/private-names.ts";
import type { Clock } from "./clock.ts";

const METADATA_HOSTS = ["metadata.azure.com", "metadata.goog", "instance-data.amazonaws.com"];
const MAX_URL_LENGTH = 2048;

/**
 * The platform's own receiver of webhooks. Users' URLs may point to this path of the platform, because it only repeats a challenge.
 * `npm run smoke` tests a deployment's webhooks with it.
 */
export const OWN_RECEIVER = "/api/v1/webhook-echo";

export interface TargetRules {
	/** True only in development. URLs with http and URLs of loopback addresses are then allowed too. */
	readonly allowInsecure: boolean;
	/**
	 * The platform's own URL. Users' URLs must not point to its host, except to {@link OWN_RECEIVER}: requests of the platform to itself
	 * would not count towards a user's limit.
	 */
	readonly ownUrl?: string | null;
}

interface TargetConfig {
	readonly allowInsecureTargets: boolean;
	readonly publicUrl: string | null;
}

export function targetRulesOf({ allowInsecureTargets, publicUrl }: TargetConfig): TargetRules {
	return { allowInsecure: allowInsecureTargets, ownUrl: publicUrl };
}

/**
 * Returns why the platform must not send requests to a user's URL, or null if it may. Only https URLs with a public name or a global
 * unicast IP address are allowed. The URL parser normalizes decimal, octal, hex and short forms of IPv4 addresses.
 */
export function findTargetFault(target: string, rules: TargetRules): string | null {
	const { allowInsecure, ownUrl = null } = rules;
	if (target.length > MAX_URL_LENGTH) return `must have at most ${MAX_URL_LENGTH} characters`;
	// The parser drops or changes these characters, so the stored URL would look different from the one that is requested.
	if (/[\s\p{Cc}\\]/u.test(target)) return "must not contain white space, control characters or backslashes";
	if (!URL.canParse(target)) return "must be an absolute https URL";
	const url = new URL(target);
	const host = plainHost(url);
	const isAllowedLoopback = allowInsecure && isLoopback(host);
	if (url.protocol !== "https:" && !(url.protocol === "http:" && allowInsecure)) return "must be an https URL";
	if (url.username !== "" || url.password !== "") return "must not contain a user name or password";
	if (ownUrl !== null && hostWithPort(url, allowInsecure) === hostWithPort(new URL(ownUrl), allowInsecure)) {
		return url.href === new URL(OWN_RECEIVER, ownUrl).href ? null : "must not point at this platform";
	}
	if (isAllowedLoopback) return null;
	return findHostFault(host);
}

/**
 * Returns why the platform's grader must not pull images from a registry, or null if it may. With `allowInsecure`, the registry may also be
 * on this machine.
 *
 * @param registry `host[:port]` of an image reference.
 */
export function findRegistryFault(registry: string, { allowInsecure }: TargetRules): string | null {
	const origin = `https://${registry}`;
	if (!URL.canParse(origin)) return "must use a host name for its registry";
	const host = plainHost(new URL(origin));
	return allowInsecure && isLoopback(host) ? null : findHostFault(host);
}

/** Returns a URL's host in lower case, without trailing dots and without the port. */
function plainHost({ hostname }: URL): string {
	let end = hostname.length;
	while (hostname.charAt(end - 1) === ".") end -= 1;
	return hostname.slice(0, end).toLowerCase();
}

/**
 * Returns the normalized host of a user's URL: lower case, ASCII, without a trailing dot and without the port. In development, each
 * loopback port is a separate host.
 */
function hostWithPort(url: URL, allowInsecure: boolean): string {
	const host = plainHost(url);
	return allowInsecure && isLoopback(host) && url.port !== "" ? `${host}:${url.port}` : host;
}

/**
 * Returns the host under which the limits per host count a user's URL. This is the registrable domain, because the owner of `example.com`
 * can create any number of names under it. A domain under a private entry of the public suffix list, such as `github.io`, is registrable
 * too. IP addresses and public suffixes themselves are returned unchanged.
 *
 * @param target A URL that {@link findTargetFault} allows.
 */
export function readTargetHost(target: string, { allowInsecure }: TargetRules): string {
	const host = hostWithPort(new URL(target), allowInsecure);
	if (host.startsWith("[") || host.includes(":") || ipaddr.isValid(host)) return host;
	// A name that breaks the rules for names, such as `-a.example.com`, must not count as a host of its own.
	return getDomain(host, { allowPrivateDomains: true, extractHostname: false, validateHostname: false }) ?? host;
}

function findHostFault(host: string): string | null {
	const literal = host.replace(/^\[|\]$/g, "");
	if (ipaddr.isValid(literal)) return isGlobalUnicast(ipaddr.parse(literal)) ? null : "must not point at a private or reserved IP address";
	if (!host.includes(".")) return "must be a fully qualified host name";
	if (PRIVATE_SUFFIXES.some((suffix) => host.endsWith(`.${suffix}`))) return "must not point at a private network name";
	if (METADATA_HOSTS.includes(host)) return "must not point at a cloud metadata service";
	return null;
}

const GLOBAL_UNICAST_V6 = ipaddr.parseCIDR("2000::/3");

/** ipaddr.js calls an IP address `unicast` if it is outside all special ranges. NAT64, 6to4 and Teredo are special. */
function isGlobalUnicast(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
	if (address.range() !== "unicast") return false;
	return address.kind() === "ipv4" || address.match(GLOBAL_UNICAST_V6);
}

/** @param host The host as in a URL, where an IPv6 address is in brackets. */
export function isLoopback(host: string): boolean {
	if (host === "localhost") return true;
	const literal = host.replace(/^\[|\]$/g, "");
	return ipaddr.isValid(literal) && ipaddr.parse(literal).range() === "loopback";
}

export interface OutboundDeps {
	readonly config: TargetConfig;
	readonly clock: Clock;
	readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
}

export interface OutboundRequest {
	readonly url: string;
	readonly headers: Readonly<Record<string, string>>;
	readonly body: string;
	/** The time limit from the start of the request to the end of the response body. */
	readonly timeoutMs: number;
	/** The maximum number of bytes that are read of the response body. */
	readonly maxResponseBytes: number;
}

/** The outcome of a request. `responded` includes responses with any status, even errors and redirects, which are not followed. */
export type OutboundResult =
	| { readonly kind: "responded"; readonly status: number; readonly headers: Headers; readonly body: string; readonly durationMs: number }
	| {
			readonly kind: "failed";
			/** `refused`: the URL is not allowed. `unreachable`: resolving the name, connecting, or receiving the response failed. */
			readonly reason: "refused" | "timeout" | "unreachable";
			readonly message: string;
			readonly durationMs: number;
	  };

/**
 * Posts a request to a user's URL, which it checks with {@link findTargetFault} each time. Otherwise the same as {@link exchange}. Never
 * throws.
 */
export async function sendOutbound(deps: OutboundDeps, request: OutboundRequest): Promise<OutboundResult> {
	const fault = findTargetFault(request.url, targetRulesOf(deps.config));
	if (fault !== null) return { kind: "failed", reason: "refused", message: `The URL ${fault}.`, durationMs: 0 };
	return exchange(deps, { ...request, method: "POST" });
}

/** A request to a URL that is allowed already, such as one in the deployment's configuration. */
export interface Exchange extends Omit<OutboundRequest, "body"> {
	readonly method: "GET" | "POST" | "DELETE";
	/** The body of the request. Null if it has none. */
	readonly body: string | null;
}

/** Sends a request with a time limit, follows no redirects, and reads at most `maxResponseBytes` of the response. Never throws. */
export async function exchange({ clock, fetch }: Omit<OutboundDeps, "config">, request: Exchange): Promise<OutboundResult> {
	const startedAt = clock.now();
	const durationMs = () => Math.max(0, clock.now() - startedAt);
	const abort = new AbortController();
	const stop = clock.after(request.timeoutMs, () => abort.abort());
	try {
		const response = await fetch(request.url, {
			method: request.method,
			headers: { ...request.headers },
			body: request.body,
			redirect: "manual",
			signal: abort.signal,
		});
		const body = await readStart(response, request.maxResponseBytes);
		return { kind: "responded", status: response.status, headers: response.headers, body, durationMs: durationMs() };
	} catch (error) {
		if (abort.signal.aborted) {
			return { kind: "failed", reason: "timeout", message: `No response within ${request.timeoutMs / 1000} s.`, durationMs: durationMs() };
		}
		return { kind: "failed", reason: "unreachable", message: describeSendFault(error), durationMs: durationMs() };
	} finally {
		stop();
	}
}

const MAX_FAULT_LENGTH = 300;

/**
 * Describes a fault for the owner of the receiver. If a host name does not resolve, the runtime's message is only an internal reference,
 * which this function replaces.
 */
function describeSendFault(error: unknown): string {
	const message = error instanceof Error ? error.message : String(error);
	return message.startsWith("internal error") ? "The host could not be found or reached." : message.slice(0, MAX_FAULT_LENGTH);
}

/** Reads the start of a response as text. If the body breaks off, returns what arrived, because the status still counts. */
async function readStart(response: Response, maxBytes: number): Promise<string> {
	if (response.body === null) return "";
	const reader = response.body.getReader();
	const decoder = new TextDecoder();
	let text = "";
	let left = maxBytes;
	try {
		while (left > 0) {
			const { done, value } = await reader.read();
			if (done) break;
			text += decoder.decode(value.subarray(0, left), { stream: true });
			left -= value.byteLength;
		}
	} catch {
		return text;
	} finally {
		reader.cancel().catch(() => undefined);
	}
	// If the limit was reached, the decoder may hold a character that the limit cut in two. It is dropped.
	return left > 0 ? text + decoder.decode() : text;
}
