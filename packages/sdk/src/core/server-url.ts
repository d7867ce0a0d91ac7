// Decides which URLs from a response the client sends requests to, such as a signed URL of an upload.
import { PRIVATE_SUFFIXES } from "../../../../src/domain/private-names.ts";
import { BountyUsageError } from "./errors.ts";
import { assertSafeUrl, isLoopback } from "./options.ts";

/** How far a host is from this machine: larger numbers are farther away. */
const REACH = { loopback: 0, network: 1, internet: 2 } as const;
type Reach = (typeof REACH)[keyof typeof REACH];

/**
 * Returns a URL from a response of the platform.
 * It must not be closer to this machine than the platform itself: a platform on the internet must not make its clients read or change a
 * service of this machine or of its network. https already prevents most of this, because a service would need a certificate for the name.
 *
 * @param baseUrl The platform's URL.
 * @throws BountyUsageError
 */
export function assertServerUrl(text: string, baseUrl: string): string {
	const url = assertSafeUrl(text, "A URL from the platform");
	if (reachOf(url) >= reachOf(new URL(baseUrl))) return text;
	throw new BountyUsageError(
		`The platform at ${baseUrl} returned a URL with the host ${url.hostname}, which is on this machine or in a private network. Nothing was sent there.`,
	);
}

function reachOf({ hostname }: URL): Reach {
	const host = hostname.replace(/\.+$/, "");
	if (isLoopback(host)) return REACH.loopback;
	if (host.startsWith("[")) return isGlobalIpv6(host.slice(1, -1)) ? REACH.internet : REACH.network;
	// The parser has converted every spelling of an IPv4 address to this form.
	if (/^\d+(\.\d+){3}$/.test(host)) return isGlobalIpv4(host.split(".").map(Number)) ? REACH.internet : REACH.network;
	const isPrivate = !host.includes(".") || PRIVATE_SUFFIXES.some((suffix) => host.endsWith(`.${suffix}`));
	return isPrivate ? REACH.network : REACH.internet;
}

/** 0.0.0.0 and similar addresses also reach this machine, but are never the host of a platform. */
function isGlobalIpv4([a = 0, b = 0, c = 0]: readonly number[]): boolean {
	if (a === 0 || a === 10 || a === 127 || a >= 224) return false;
	if (a === 100) return b < 64 || b > 127;
	if (a === 172) return b < 16 || b > 31;
	if (a === 192) return b !== 168 && !(b === 0 && c === 0);
	if (a === 198) return b !== 18 && b !== 19;
	return !(a === 169 && b === 254);
}

/** Global unicast addresses are in 2000::/3. Of these, 6to4 (2002::/16) and Teredo (2001::/32) contain an IPv4 address. */
function isGlobalIpv6(address: string): boolean {
	const [first = "", second = ""] = address.split(":");
	const start = Number.parseInt(first || "0", 16);
	if (start === 0x2001) return second !== "" && Number.parseInt(second, 16) !== 0;
	return start >= 0x2000 && start <= 0x3fff && start !== 0x2002;
}
