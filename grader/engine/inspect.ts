// Asks the engine about the images on this machine.
import { posix } from "node:path";
import * as z from "zod";
import { repositoryOfReference } from "../../src/domain/image-reference.ts";
import type { Shell } from "./shell.ts";

const DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

export interface InspectedImage {
	/** The id by which the engine identifies exactly this content. */
	readonly id: string;
	/** Digests by which the registry may know the content. With docker, the list is empty for images that were built on this machine. */
	readonly digests: readonly string[];
	/** Paths that the image declares as volumes. */
	readonly volumes: readonly string[];
	/** Where the engine looks for the program: absolute paths, one for each folder of PATH. Empty without a program. */
	readonly programPaths: readonly string[];
}

/**
 * Describes an image on this machine, or returns null if it is missing.
 *
 * @param image A name, `name@digest`, or an id.
 * @param name The name in the request.
 */
export async function inspectImage({ ask }: Shell, image: string, name: string): Promise<InspectedImage | null> {
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

function readImage(json: string, name: string): InspectedImage {
	const [{ Id, RepoDigests, Config }] = inspected.parse(JSON.parse(json));
	return {
		id: Id.startsWith("sha256:") ? Id : `sha256:${Id}`,
		digests: findDigests(RepoDigests ?? [], repositoryOfReference(name)),
		volumes: Object.keys(Config?.Volumes ?? {}),
		programPaths: findProgram(Config ?? {}),
	};
}

/** Returns all digests. The same content may have come from several registries, and under several digests from one. */
function findDigests(references: readonly string[], repository: string): string[] {
	const known = references.flatMap((reference) => {
		const [place = "", digest] = reference.split("@");
		return digest === undefined ? [] : [{ place, digest }];
	});
	const own = known.filter(({ place }) => place === repository || place.endsWith(`/${repository}`));
	return [...new Set((own.length > 0 ? own : known.slice(0, 1)).map(({ digest }) => digest))];
}

/** Returns the possible paths of the program. A program without a slash is searched in each folder of PATH. */
function findProgram({ Entrypoint, Cmd, Env, WorkingDir }: ImageConfig): string[] {
	const [program] = [...(Entrypoint ?? []), ...(Cmd ?? [])];
	if (program === undefined || program === "") return [];
	const path = Env?.find((line) => line.startsWith("PATH="))?.slice("PATH=".length) ?? DEFAULT_PATH;
	const folders = program.includes("/") ? [""] : path.split(":");
	return folders.map((folder) => posix.resolve("/", WorkingDir ?? "", folder, program));
}
