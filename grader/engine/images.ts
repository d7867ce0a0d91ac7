// Making an image available: pulled, or already there, and known by its content from then on.
import { posix } from "node:path";
import * as z from "zod";
import { digestOfReference, repositoryOfReference } from "../../src/domain/image-reference.ts";
import { lastLine } from "./find.ts";
import { EngineFault, ImageFault, type PulledImage, type WantedImage } from "./port.ts";
import type { Shell } from "./shell.ts";

const PULL_TIMEOUT_MS = 600_000;
const DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

export interface LocalImage extends PulledImage {
	/** Paths that it declares as volumes. */
	readonly volumes: readonly string[];
	/** Whether it was not on this machine before. */
	readonly isNew: boolean;
}

type Inspected = Omit<LocalImage, "isNew">;

/**
 * Makes an image available and finds out what it is. A tag is pulled every time: what it means may have changed, and an older copy
 * on this machine is not what the poster has published. A digest names the content, so a copy of that is as good.
 *
 * @throws EngineFault when the registry or the engine cannot be reached, ImageFault when there is no such image.
 */
export async function pullImage(shell: Shell, { reference, digest }: WantedImage, signal: AbortSignal): Promise<LocalImage> {
	const pinned = digest ?? digestOfReference(reference);
	if (pinned !== null) return pullPinned(shell, { reference, digest: pinned }, signal);
	const known = await inspect(shell, reference, reference);
	if (!isLocal(reference)) return pull(shell, { name: reference, reference, knownId: known?.id ?? null }, signal);
	if (known === null) throw new ImageFault(`The image ${reference} is not on this machine, and its name belongs to no registry.`);
	return { ...known, isNew: false };
}

async function pullPinned(
	shell: Shell,
	{ reference, digest }: { reference: string; digest: string },
	signal: AbortSignal,
): Promise<LocalImage> {
	const name = `${repositoryOfReference(reference)}@${digest}`;
	// An image that was built here may be known by its id only.
	const known = (await inspect(shell, name, name)) ?? (isLocal(reference) ? await inspect(shell, digest, name) : null);
	if (known !== null) return { ...known, digest, isNew: false };
	if (isLocal(reference)) throw new ImageFault(`The image ${name} is not on this machine, and its name belongs to no registry.`);
	return { ...(await pull(shell, { name, reference, knownId: null }, signal)), digest };
}

interface Pull {
	/** By tag or by digest. */
	readonly name: string;
	/** As the poster has written it. */
	readonly reference: string;
	/** What the name meant on this machine before. */
	readonly knownId: string | null;
}

async function pull(shell: Shell, { name, reference, knownId }: Pull, signal: AbortSignal): Promise<LocalImage> {
	const isPodman = shell.found.flavour === "podman";
	// Podman also takes folders and archives of this machine, unless it is told that the source is a registry.
	const source = isPodman ? `docker://${name}` : name;
	const pulled = await shell.ask(["pull", "--quiet", "--", source], { timeoutMs: PULL_TIMEOUT_MS, signal });
	signal.throwIfAborted();
	if (pulled.exitCode !== 0) throw pullFault(reference, pulled);
	// Podman names what it has pulled by its id: a short name could mean another one here.
	const fetched = await inspect(shell, isPodman ? pulled.stdout.trim() : name, name);
	if (fetched === null) throw new EngineFault(`The image ${reference} was pulled and is not there.`);
	return { ...fetched, isNew: knownId !== fetched.id };
}

async function inspect({ ask }: Shell, image: string, name: string): Promise<Inspected | null> {
	const { exitCode, stdout } = await ask(["image", "inspect", "--", image]);
	return exitCode === 0 ? readImage(stdout, name) : null;
}

const inspected = z.tuple([
	z.object({
		Id: z.string().regex(/^(sha256:)?[0-9a-f]{64}$/),
		RepoDigests: z.array(z.string()).nullish(),
		Config: z
			.object({
				Volumes: z.record(z.string(), z.unknown()).nullish(),
				Entrypoint: z.array(z.string()).nullish(),
				Cmd: z.array(z.string()).nullish(),
				Env: z.array(z.string()).nullish(),
				WorkingDir: z.string().nullish(),
			})
			.nullish(),
	}),
]);

type ImageConfig = NonNullable<z.output<typeof inspected>[0]["Config"]>;

/** What `image inspect` says, for the name under which it was asked for. */
function readImage(json: string, name: string): Inspected {
	const [{ Id, RepoDigests, Config }] = inspected.parse(JSON.parse(json));
	const id = Id.startsWith("sha256:") ? Id : `sha256:${Id}`;
	const volumes = Object.keys(Config?.Volumes ?? {});
	return { id, digest: registryDigest(RepoDigests ?? [], name) ?? id, volumes, programPaths: findProgram(Config ?? {}) };
}

/** A name without a slash is looked for in each folder of PATH. */
function findProgram({ Entrypoint, Cmd, Env, WorkingDir }: ImageConfig): string[] {
	const [program] = [...(Entrypoint ?? []), ...(Cmd ?? [])];
	if (program === undefined || program === "") return [];
	const path = Env?.find((line) => line.startsWith("PATH="))?.slice("PATH=".length) ?? DEFAULT_PATH;
	const folders = program.includes("/") ? [""] : path.split(":");
	return folders.map((folder) => posix.resolve("/", WorkingDir ?? "", folder, program));
}

/** Of the registry it was asked from; the same content may have come from several. */
function registryDigest(digests: readonly string[], name: string): string | null {
	const repository = repositoryOfReference(name);
	const known = digests.map((text) => text.split("@")).filter(([, digest]) => digest !== undefined);
	const own = known.find(([place = ""]) => place === repository || place.endsWith(`/${repository}`));
	return (own ?? known[0])?.[1] ?? null;
}

/** Podman's name for what is built on this machine; no registry has it. */
function isLocal(reference: string): boolean {
	return reference.startsWith("localhost/");
}

/** What registries and engines say of an image that is not there, not for everyone, or not for this machine. */
const MISSING_IMAGE =
	/manifest unknown|name unknown|not found|does not exist|access denied|access to the resource is denied|unauthorized|authentication required|no image found in|no matching manifest|invalid reference|blob unknown/i;
/** A name that does not resolve is not found either, and the registry may only be out of reach. */
const UNREACHABLE_REGISTRY =
	/no such host|lookup |dial tcp|connection|timeout|timed out|toomanyrequests|too many requests|tls:|x509|server misbehaving/i;

/** Why an engine could not pull, as a fault for the poster. */
function pullFault(image: string, { stderr, isTimedOut }: { readonly stderr: string; readonly isTimedOut: boolean }): Error {
	const reason = isTimedOut ? "it took too long" : lastLine(stderr).replace(/^Error( response from daemon)?:\s*/i, "");
	const message = `The image ${image} cannot be pulled: ${reason.slice(0, 500) || "the engine did not say why"}`;
	// A name may hold any of these words.
	const said = reason.replaceAll(repositoryOfReference(image), "");
	const isMissing = !isTimedOut && MISSING_IMAGE.test(said) && !UNREACHABLE_REGISTRY.test(said);
	return isMissing ? new ImageFault(message) : new EngineFault(message);
}
