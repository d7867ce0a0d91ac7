// Names the network that a request comes from.

/** The name for all IP addresses that many strangers share. */
export const STRANGERS = "strangers";

/**
 * IP ranges that many strangers share. They do not identify a caller's network, so limits count by credential. `source` is where the owner
 * publishes the ranges.
 */
const SHARED_NETWORKS: readonly { readonly ranges: readonly string[]; readonly of: string; readonly source: string }[] = [
	{
		ranges: ["2a06:98c0:3600::/48"],
		of: "Workers of other zones",
		source: "https://developers.cloudflare.com/fundamentals/reference/http-headers/",
	},
	{
		ranges: ["160.79.104.0/21", "153.61.208.0/20"],
		of: "tools of Claude",
		source: "https://platform.claude.com/docs/en/api/ip-addresses",
	},
	{
		ranges: [
			...["23.102.140.112/28", "13.66.11.96/28", "104.210.133.240/28", "70.37.60.192/28", "20.97.188.144/28", "20.161.76.48/28"],
			...["52.234.32.208/28", "52.156.132.32/28", "40.84.220.192/28", "23.98.178.64/28", "51.8.155.32/28", "20.246.77.240/28"],
			...["172.178.141.0/28", "172.178.141.192/28", "40.84.180.128/28"],
		],
		of: "connectors and actions of ChatGPT",
		source: "https://developers.openai.com/api/docs/guides/ip-addresses",
	},
];

/**
 * Names the network of an IP address: its /24 for IPv4, and its /48 for IPv6, because a provider's customer can have a whole /48. IP
 * addresses that strangers share are {@link STRANGERS}.
 */
export function networkOf(address: string | null): string {
	if (isShared(address)) return STRANGERS;
	const key = addressKey(address);
	if (/^\d+(\.\d+){3}$/.test(key)) return key.replace(/\d+$/, "0/24");
	return key.replace(/:[^:]*::\/64$/, "::/48");
}

/**
 * Returns the rate-limit key of an IP address. An IPv6 caller owns a whole /64, which has one key. Returns `unknown` without an IP address.
 */
export function addressKey(address: string | null): string {
	if (address === null || address === "") return "unknown";
	if (!address.includes(":")) return address.slice(0, 64);
	return `${groupsOf(address).slice(0, 4).join(":")}::/64`;
}

/** Expands the groups of an IPv6 address. */
function groupsOf(address: string): string[] {
	const [head = "", tail] = address.toLowerCase().split("::");
	const split = (text: string) => (text === "" ? [] : text.split(":"));
	const [before, after] = [split(head), split(tail ?? "")];
	const missing = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
	const full = [...before, ...Array.from({ length: missing }, () => "0"), ...after];
	return full.map((group) => group.replace(/^0+(?=.)/, "").slice(0, 4));
}

const SHARED_RANGES = SHARED_NETWORKS.flatMap(({ ranges }) => ranges).map((range) => {
	const [address = "", bits = ""] = range.split("/");
	return { prefix: bitsOf(address).slice(0, Number(bits) + 1) };
});

/** Returns true for an IP address that many strangers share. */
export function isShared(address: string | null): boolean {
	if (address === null) return false;
	const bits = bitsOf(address);
	return SHARED_RANGES.some(({ prefix }) => bits.startsWith(prefix));
}

/**
 * Returns an IP address as binary digits, after a mark for its version. Returns no digits for an unknown form, so that no range contains
 * it.
 */
function bitsOf(address: string): string {
	const isV6 = address.includes(":");
	const [parts, base, width] = isV6 ? [groupsOf(address), 16, 16] : [address.split("."), 10, 8];
	const digits = parts.map((part) => Number.parseInt(part, base).toString(2).padStart(width, "0")).join("");
	return /^[01]{32,128}$/.test(digits) ? digits.padStart(digits.length + 1, isV6 ? "6" : "4") : "";
}
