import ipaddr from "ipaddr.js";

const PRIVATE_SUFFIXES = ["internal", "local", "localhost", "localdomain", "lan", "home.arpa", "intranet", "corp", "home"];
const METADATA_HOSTS = ["metadata.azure.com", "metadata.goog", "instance-data.amazonaws.com"];
const MAX_URL_LENGTH = 2048;

export interface TargetRules {
	/** Development only: http and loopback are allowed too. */
	readonly allowInsecure: boolean;
}

/**
 * Why the platform will not send a request to an address that somebody gave us; null when it will.
 * Whatever is not https to a public name or a global unicast address is refused, in any spelling: the URL parser
 * has already turned decimal, octal, hex and short IPv4 forms into dotted ones.
 */
export function findTargetFault(target: string, { allowInsecure }: TargetRules): string | null {
	if (target.length > MAX_URL_LENGTH) return `must have at most ${MAX_URL_LENGTH} characters`;
	if (!URL.canParse(target)) return "must be an absolute https URL";
	const url = new URL(target);
	const host = url.hostname.replace(/\.+$/, "").toLowerCase();
	const isAllowedLoopback = allowInsecure && isLoopback(host);
	if (url.protocol !== "https:" && !(url.protocol === "http:" && allowInsecure)) return "must be an https URL";
	if (url.username !== "" || url.password !== "") return "must not contain a user name or password";
	if (isAllowedLoopback) return null;
	return findHostFault(host);
}

function findHostFault(host: string): string | null {
	const literal = host.replace(/^\[|\]$/g, "");
	if (ipaddr.isValid(literal)) return isGlobalUnicast(ipaddr.parse(literal)) ? null : "must not point at a private or reserved address";
	if (!host.includes(".")) return "must be a fully qualified host name";
	if (PRIVATE_SUFFIXES.some((suffix) => host.endsWith(`.${suffix}`))) return "must not point at a private network name";
	if (METADATA_HOSTS.includes(host)) return "must not point at a cloud metadata service";
	return null;
}

const GLOBAL_UNICAST_V6 = ipaddr.parseCIDR("2000::/3");

/** `unicast` is what ipaddr.js calls an address in none of the special ranges, NAT64, 6to4 and Teredo among these. */
function isGlobalUnicast(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
	if (address.range() !== "unicast") return false;
	return address.kind() === "ipv4" || address.match(GLOBAL_UNICAST_V6);
}

function isLoopback(host: string): boolean {
	if (host === "localhost") return true;
	const literal = host.replace(/^\[|\]$/g, "");
	return ipaddr.isValid(literal) && ipaddr.parse(literal).range() === "loopback";
}
