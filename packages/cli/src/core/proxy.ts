// Uses the proxies that the environment names, as npm, pip and curl do.
// Node's own fetch does so only in new versions, and only on request.
/// <reference path="./undici-parts.d.ts" />
import connect from "undici/lib/api/api-connect.js";
import Dispatcher from "undici/lib/dispatcher/dispatcher.js";
import EnvHttpProxyAgent from "undici/lib/dispatcher/env-http-proxy-agent.js";
import { fetch as fetchThrough } from "undici/lib/web/fetch/index.js";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Sends all requests of this process through `HTTPS_PROXY` and `HTTP_PROXY`, except to the hosts in `NO_PROXY`.
 * Lower-case names have priority. Without these variables, nothing changes.
 *
 * @throws Error for a proxy that is not the URL of an HTTP proxy.
 */
export function useProxies(env: Environment): void {
	const httpProxy = readProxy(env, "HTTP_PROXY");
	const httpsProxy = readProxy(env, "HTTPS_PROXY");
	if (httpProxy === undefined && httpsProxy === undefined) return;
	// A tunnel needs this method, which only the complete undici package adds.
	Object.assign(Dispatcher.prototype, { connect });
	// undici looks up missing values in the environment itself, and would accept an empty string there.
	const dispatcher = new EnvHttpProxyAgent({
		httpProxy: httpProxy ?? "",
		httpsProxy: httpsProxy ?? "",
		noProxy: read(env, "NO_PROXY") ?? "",
		// Many proxies allow CONNECT only to port 443.
		proxyTunnel: false,
	});
	const fetch = (url: string, init: object = {}) => fetchThrough(url, { ...init, dispatcher });
	Object.assign(globalThis, { fetch });
}

function readProxy(env: Environment, name: string): string | undefined {
	const given = read(env, name);
	if (given === undefined) return undefined;
	const text = given.includes("://") ? given : `http://${given}`;
	if (/^https?:/i.test(text) && URL.canParse(text)) return text;
	throw new Error(`${name} must be the URL of an HTTP proxy, such as http://proxy.example:8080.`);
}

/** Returns undefined for a variable that is empty or not set. */
function read(env: Environment, name: string): string | undefined {
	return env[name.toLowerCase()] || env[name] || undefined;
}
