// Making an image available: pulled, or already there, and known by its content from then on.
import * as z from "zod";
import { lastLine } from "./find.ts";
import { EngineFault, type PulledImage } from "./port.ts";
import type { Shell } from "./shell.ts";

const PULL_TIMEOUT_MS = 600_000;

export interface LocalImage extends PulledImage {
	/** Paths that it declares as volumes. */
	readonly volumes: readonly string[];
	/** Whether it was not on this machine before. */
	readonly isNew: boolean;
}

/**
 * Makes an image available and finds out what it is.
 *
 * @throws EngineFault
 */
export async function pullImage(shell: Shell, requested: string, signal: AbortSignal): Promise<LocalImage> {
	const image = withoutRedundantTag(requested);
	const known = await inspect(shell, image, requested);
	if (known !== null && needsNoPull(image)) return { ...known, isNew: false };
	if (isLocal(image)) throw new EngineFault(`The image ${requested} is not on this machine, and its name belongs to no registry.`);
	const isPodman = shell.found.flavour === "podman";
	// Podman takes other sources than registries, folders of this machine among them, unless it is told that it is none.
	const source = isPodman ? `docker://${image}` : image;
	const pulled = await shell.ask(["pull", "--quiet", "--", source], { timeoutMs: PULL_TIMEOUT_MS, signal });
	signal.throwIfAborted();
	if (pulled.exitCode !== 0) {
		if (known !== null) return { ...known, isNew: false };
		throw pullFault(requested, pulled);
	}
	// Podman names what it has pulled by its id: a short name could mean another one here.
	const fetched = await inspect(shell, isPodman ? pulled.stdout.trim() : image, requested);
	if (fetched === null) throw new EngineFault(`The image ${requested} was pulled and is not there.`);
	return { ...fetched, isNew: known?.id !== fetched.id };
}

async function inspect({ ask }: Shell, image: string, name: string): Promise<Omit<LocalImage, "isNew"> | null> {
	const { exitCode, stdout } = await ask(["image", "inspect", "--", image]);
	return exitCode === 0 ? readImage(stdout, name) : null;
}

const inspected = z.tuple([
	z.object({
		Id: z.string().regex(/^(sha256:)?[0-9a-f]{64}$/),
		RepoDigests: z.array(z.string()).nullish(),
		Config: z.object({ Volumes: z.record(z.string(), z.unknown()).nullish() }).nullish(),
	}),
]);

/** What `image inspect` says, for the name under which it was asked for. */
function readImage(json: string, name: string): Omit<LocalImage, "isNew"> {
	const [{ Id, RepoDigests, Config }] = inspected.parse(JSON.parse(json));
	const id = Id.startsWith("sha256:") ? Id : `sha256:${Id}`;
	return { id, digest: registryDigest(RepoDigests ?? [], name) ?? id, volumes: Object.keys(Config?.Volumes ?? {}) };
}

/** Of the registry it was asked from; the same content may have come from several. */
function registryDigest(digests: readonly string[], name: string): string | null {
	const pinned = /@(sha256:[0-9a-f]{64})$/.exec(name)?.[1];
	if (pinned !== undefined) return pinned;
	const repository = withoutTag(name);
	const known = digests.map((text) => text.split("@")).filter(([, digest]) => digest !== undefined);
	const own = known.find(([place = ""]) => place === repository || place.endsWith(`/${repository}`));
	return (own ?? known[0])?.[1] ?? null;
}

function withoutTag(name: string): string {
	return name.replace(/:[^/:@]*$/, "");
}

/** A digest names the content, so a tag beside it says nothing; podman does not take both. */
function withoutRedundantTag(image: string): string {
	return image.replace(/:[^/:@]*@/, "@");
}

/** Images that no registry could answer for differently: given by digest, or in podman's name for what is built here. */
function needsNoPull(image: string): boolean {
	return image.includes("@sha256:") || isLocal(image);
}

function isLocal(image: string): boolean {
	return image.startsWith("localhost/");
}

/** What an engine said when it could not pull, as a fault for the poster. */
function pullFault(image: string, { stderr, isTimedOut }: { readonly stderr: string; readonly isTimedOut: boolean }): EngineFault {
	const reason = isTimedOut ? "it took too long" : lastLine(stderr).replace(/^Error( response from daemon)?:\s*/i, "");
	return new EngineFault(`The image ${image} cannot be pulled: ${reason.slice(0, 500) || "the engine did not say why"}`);
}
