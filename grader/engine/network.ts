// Creates a network that reaches only the public internet: not this machine, private networks or a cloud's metadata service.
import { networkInterfaces } from "node:os";
import { type CommandEnd, runCommand } from "./command.ts";
import { EngineFault, type RunSpec } from "./port.ts";
import type { Shell } from "./shell.ts";

/**
 * Podman's user-mode network, without access to this machine's loopback, and without IPv6, so that its private ranges stay closed.
 */
export const USER_MODE_NETWORK = "slirp4netns:allow_host_loopback=false,enable_ipv6=false";

/** The DNS resolver in podman's user-mode network. */
const NAME_SERVER = "10.0.2.3";
const GATEWAY = "10.0.2.2";
const LOCAL_NETWORK = "10.0.2.0/24";
const DEVICE = "tap0";
/** IP ranges outside the public internet. Without loopback, because that belongs to the container. */
const CLOSED_RANGES = [
	"0.0.0.0/8",
	"10.0.0.0/8",
	"100.64.0.0/10",
	"169.254.0.0/16",
	"172.16.0.0/12",
	"192.0.0.0/24",
	"192.0.2.0/24",
	"192.88.99.0/24",
	"192.168.0.0/16",
	"198.18.0.0/15",
	"198.51.100.0/24",
	"203.0.113.0/24",
	"224.0.0.0/4",
	"240.0.0.0/4",
];
const COMMAND_TIMEOUT_MS = 20_000;

/**
 * Sets up a container's network before anything in it runs, and closes private ranges with routes in that network. The container has no
 * right to change these routes.
 *
 * @throws EngineFault
 */
export async function closeNetwork({ found, ask }: Shell, { name, folder }: RunSpec): Promise<void> {
	const made = await ask(["init", name], { folder });
	const { stdout } = await ask(["container", "inspect", "--format", "{{.State.Pid}}", name]);
	const pid = Number(stdout);
	// A user other than root enters the network through podman's user namespace.
	const enter = process.getuid?.() === 0 ? [] : [found.command, ...found.globalArguments, "unshare"];
	const closed = made.exitCode === 0 && pid > 0 ? await closePrivateRanges(pid, enter) : made;
	if (closed.exitCode !== 0) throw new EngineFault("The container's network could not be closed off.", { cause: closed.stderr });
}

/** @param pid The process that waits in the container to be started. */
function closePrivateRanges(pid: number, enter: readonly string[]): Promise<CommandEnd> {
	const [command = "nsenter", ...args] = [...enter, "nsenter", `--target=${pid}`, "--net", "ip", "-batch", "-"];
	return runCommand(command, args, { timeoutMs: COMMAND_TIMEOUT_MS, input: routes(ownAddresses()).join("\n") });
}

function routes(ownAddresses: readonly string[]): string[] {
	return [
		// Keeps the gateway and the name server reachable, and closes the rest of their network.
		`route replace default via ${GATEWAY} dev ${DEVICE} onlink`,
		`route add ${NAME_SERVER}/32 dev ${DEVICE} scope link`,
		`route del ${LOCAL_NETWORK} dev ${DEVICE}`,
		...CLOSED_RANGES.map((range) => `route add unreachable ${range}`),
		...ownAddresses.map((address) => `route replace unreachable ${address}/32`),
		"",
	];
}

/** Returns this machine's IP addresses, including public ones. */
function ownAddresses(): string[] {
	return Object.values(networkInterfaces())
		.flatMap((addresses) => addresses ?? [])
		.filter(({ family, internal }) => family === "IPv4" && !internal)
		.map(({ address }) => address);
}
