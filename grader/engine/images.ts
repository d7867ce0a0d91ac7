// Makes an image available, by a pull or from this machine, and identifies it by its content.
import { digestOfReference, repositoryOfReference } from "../../src/domain/image-reference.ts";
import { lastLine } from "./find.ts";
import { type InspectedImage, inspectImage } from "./inspect.ts";
import { EngineFault, ImageFault, type PulledImage, type WantedImage } from "./port.ts";
import type { Shell } from "./shell.ts";

const PULL_TIMEOUT_MS = 600_000;
/** An image rarely has more than two digests: of a list, and of its entry. */
const MAX_DIGESTS = 5;

export interface LocalImage extends PulledImage {
	readonly volumes: readonly string[];
	/** True if the image was not on this machine before. */
	readonly isNew: boolean;
}

/**
 * Makes an image available and finds its content. A tag is pulled every time, because it may have moved, and an older copy on this
 * machine is not what the poster has published. A digest names the content, so any copy is correct.
 *
 * @throws EngineFault if the registry or the engine cannot be reached, ImageFault if there is no such image.
 */
export async function pullImage(shell: Shell, { reference, digest }: WantedImage, signal: AbortSignal): Promise<LocalImage> {
	const pinned = digest ?? digestOfReference(reference);
	if (pinned !== null) return pullPinned(shell, { reference, digest: pinned }, signal);
	const local = await inspectImage(shell, reference, reference);
	if (!isLocal(reference)) return pullTag(shell, { reference, knownId: local?.id ?? null }, signal);
	if (local === null) throw new ImageFault(`The image ${reference} is not on this machine, and its name belongs to no registry.`);
	return toLocalImage(local, { digest: local.digests[0] ?? local.id, isNew: false });
}

function toLocalImage({ id, volumes, programPaths }: InspectedImage, facts: Pick<LocalImage, "digest" | "isNew">): LocalImage {
	return { id, volumes, programPaths, ...facts };
}

interface PinnedImage {
	readonly reference: string;
	readonly digest: string;
}

async function pullPinned(shell: Shell, { reference, digest }: PinnedImage, signal: AbortSignal): Promise<LocalImage> {
	const name = `${repositoryOfReference(reference)}@${digest}`;
	// An image that was built on this machine may have only an id.
	const local = (await inspectImage(shell, name, name)) ?? (isLocal(reference) ? await inspectImage(shell, digest, name) : null);
	if (local !== null) return toLocalImage(local, { digest, isNew: false });
	if (isLocal(reference)) throw new ImageFault(`The image ${name} is not on this machine, and its name belongs to no registry.`);
	const { image } = await pull(shell, { name, reference }, signal);
	return toLocalImage(image, { digest, isNew: true });
}

async function pullTag(
	shell: Shell,
	{ reference, knownId }: { reference: string; knownId: string | null },
	signal: AbortSignal,
): Promise<LocalImage> {
	const { image, said } = await pull(shell, { name: reference, reference }, signal);
	const digest = /^Digest: (sha256:[0-9a-f]{64})$/m.exec(said)?.[1] ?? (await findDigest(shell, { reference, image }, signal));
	return toLocalImage(image, { digest, isNew: knownId !== image.id });
}

/**
 * Returns the registry's digest of a pulled image. Podman lists every name of an image with every digest.
 * If there are several, this takes one that the registry has, because all of them identify the same content.
 */
async function findDigest(
	shell: Shell,
	{ reference, image }: { reference: string; image: InspectedImage },
	signal: AbortSignal,
): Promise<string> {
	const [first, ...others] = image.digests.slice(0, MAX_DIGESTS);
	if (first === undefined) return image.id;
	if (others.length === 0) return first;
	for (const digest of [first, ...others]) {
		const { exitCode } = await askForPull(shell, `${repositoryOfReference(reference)}@${digest}`, signal);
		if (exitCode === 0) return digest;
	}
	throw new EngineFault(`The registry does not say which image ${reference} is.`);
}

async function pull(shell: Shell, { name, reference }: { name: string; reference: string }, signal: AbortSignal) {
	const pulled = await askForPull(shell, name, signal);
	if (pulled.exitCode !== 0) throw pullFault(reference, pulled);
	// Podman identifies its pulled image by id, because a short name could mean another image here.
	const image = await inspectImage(shell, shell.found.flavour === "podman" ? pulled.stdout.trim() : name, name);
	if (image === null) throw new EngineFault(`The image ${reference} was pulled but cannot be found.`);
	return { image, said: pulled.stdout };
}

/** Podman also accepts local folders and archives, unless the reference names a registry as its source. Docker prints the digest. */
async function askForPull({ found, ask }: Shell, name: string, signal: AbortSignal) {
	const args = found.flavour === "podman" ? ["--quiet", "--", `docker://${name}`] : ["--", name];
	const end = await ask(["pull", ...args], { timeoutMs: PULL_TIMEOUT_MS, signal });
	signal.throwIfAborted();
	return end;
}

/** Returns true for a name that podman gives to images that were built on this machine. No registry has them. */
function isLocal(reference: string): boolean {
	return reference.startsWith("localhost/");
}

/** Messages of registries and engines for an image that does not exist, is not public, or does not fit this machine. */
const MISSING_IMAGE =
	/manifest unknown|name unknown|not found|does not exist|(?<!permission )denied|unauthorized|authentication required|status code from registry 40[134]|no image found in|no matching manifest|invalid reference|blob unknown/i;
/** Messages that match the pattern above, although the registry may only be unreachable. */
const UNREACHABLE_REGISTRY =
	/no such host|lookup |dial tcp|connection|timeout|timed out|toomanyrequests|too many requests|tls:|x509|server misbehaving/i;

/** Turns the reason why an engine could not pull an image into a fault for the poster. */
function pullFault(image: string, { stderr, isTimedOut }: { readonly stderr: string; readonly isTimedOut: boolean }): Error {
	const reason = isTimedOut ? "it took too long" : lastLine(stderr).replace(/^Error( response from daemon)?:\s*/i, "");
	const message = `The image ${image} cannot be pulled: ${reason.slice(0, 500) || "the engine did not say why"}`;
	// The image's name may contain any of these words.
	const said = reason.replaceAll(repositoryOfReference(image), "");
	const isMissing = !isTimedOut && MISSING_IMAGE.test(said) && !UNREACHABLE_REGISTRY.test(said);
	return isMissing ? new ImageFault(message) : new EngineFault(message);
}
