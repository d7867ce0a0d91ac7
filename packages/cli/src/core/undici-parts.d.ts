// These parts of undici are enough to use a proxy. The whole package is more than twice as large.
declare module "undici/lib/api/api-connect.js" {
	const connect: (...input: unknown[]) => unknown;
	export = connect;
}
declare module "undici/lib/dispatcher/dispatcher.js" {
	import { Dispatcher } from "undici";
	export = Dispatcher;
}
declare module "undici/lib/dispatcher/env-http-proxy-agent.js" {
	import { EnvHttpProxyAgent } from "undici";
	export = EnvHttpProxyAgent;
}
declare module "undici/lib/web/fetch/index.js" {
	export { fetch } from "undici";
}
