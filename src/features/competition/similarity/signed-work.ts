// The work of a submission as it is compared with others: by the signature of its text.
import type { Deps } from "../../../ports/deps.ts";
import { ArchiveFault } from "../../judging/artifacts/policy.ts";
import { ObjectGoneError } from "../../judging/artifacts/range-reader.ts";
import { readComparedFiles } from "./artifact-text.ts";
import type { Comparable } from "./pairs.ts";
import { decodeMinima, encodeMinima, signFiles } from "./signature.ts";

/** A signature, as it is stored. */
export interface SignedWork {
	readonly submissionId: string;
	readonly agentId: string;
	readonly artifactSha256: string | null;
	readonly shingles: number;
	readonly minima: string;
}

/** The signature of an artifact's text. An artifact that cannot be read gets one that only its hash can match. */
export async function signArtifact(deps: Deps, artifactKey: string): Promise<Pick<SignedWork, "shingles" | "minima">> {
	const signature = signFiles(await readFilesOrNothing(deps, artifactKey));
	return { shingles: signature.shingles, minima: encodeMinima(signature) };
}

async function readFilesOrNothing(deps: Deps, artifactKey: string) {
	try {
		return await readComparedFiles(deps, artifactKey);
	} catch (error) {
		if (error instanceof ArchiveFault || error instanceof ObjectGoneError) return [];
		throw error;
	}
}

export function toComparable({ shingles, minima, artifactSha256 }: SignedWork): Comparable {
	return { signature: { shingles, minima: decodeMinima(minima) }, artifactSha256 };
}
