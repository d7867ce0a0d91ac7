// Checks and submits files in the way that suits their size. A retry continues where the failed attempt stopped, so it uses only one slot.
import { type UseMutationResult, useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { api, type Schemas } from "../../api/client.ts";
import { encodeFiles } from "../../api/sdk.ts";
import { fetchWithProgress } from "../../api/upload.ts";
import { pairs } from "../../platform/read-files.ts";
import { ownSubmissionsKey } from "../../queries/submissions.ts";
import { taskKey } from "../../queries/task.ts";
import type { PickedFile } from "../../rules/picked-file.ts";
import { chooseWay, MAX_CHECKED_ZIP_BYTES, MAX_ZIP_BYTES } from "../../rules/submitting.ts";

type Files = readonly PickedFile[];

/** The check of the chosen files. Its result is null for files that are too large to check. */
export type Check = UseMutationResult<Schemas["CheckResult"] | null, Error, Files>;

interface Phase {
	readonly step: "packing" | "uploading" | "starting";
	/** From 0 to 1. Null while unknown. */
	readonly share: number | null;
}

/** The steps that are already done for the current files. */
interface Attempt {
	/** The idempotency key, which marks retries as the same submission. */
	readonly key: string;
	zip?: Blob;
	submissionId?: string;
	isUploaded?: boolean;
}

type OnPhase = (phase: Phase) => void;

const newAttempt = (): Attempt => ({ key: crypto.randomUUID() });

export function useSubmitting(taskId: string) {
	const [phase, setPhase] = useState<Phase | null>(null);
	const attempt = useRef<Attempt>(newAttempt());
	const queries = useQueryClient();
	/** Runs work on the current files. Once the files are replaced, the page no longer shows the work's progress. */
	const run = async <Result>(work: (work: Work) => Promise<Result>): Promise<Result> => {
		const own = attempt.current;
		const onPhase = (phase: Phase | null) => attempt.current === own && setPhase(phase);
		try {
			return await work({ attempt: own, onPhase });
		} finally {
			onPhase(null);
		}
	};
	const checking = useMutation({ mutationFn: (files: Files) => run((work) => checkFiles(taskId, files, work)) });
	const sending = useMutation({
		mutationFn: (files: Files) => run((work) => submitFiles(taskId, files, work)),
		onSuccess: () =>
			Promise.all(
				[taskKey(taskId), ownSubmissionsKey(taskId), ["my-submissions"]].map((queryKey) => queries.invalidateQueries({ queryKey })),
			),
	});
	return {
		checking,
		sending,
		phase,
		check: (files: Files) => checking.mutate(files),
		/** The id of the new submission. Null if sending failed, which `sending` explains. */
		send: (files: Files): Promise<string | null> => sending.mutateAsync(files).catch(() => null),
		/** Starts a new attempt, for different files. */
		forget: () => {
			attempt.current = newAttempt();
			setPhase(null);
			checking.reset();
			sending.reset();
		},
	};
}

interface Work {
	readonly attempt: Attempt;
	readonly onPhase: OnPhase;
}

async function checkFiles(taskId: string, files: Files, work: Work): Promise<Schemas["CheckResult"] | null> {
	if (chooseWay(files.map(({ file }) => file.size)) === "request")
		return api.checkSubmission(taskId, { files: await encodeFiles(pairs(files)) });
	const zip = await packOnce(files, work);
	return zip.size > MAX_CHECKED_ZIP_BYTES ? null : api.checkSubmission(taskId, zip, { fetch: fetchWithProgress(uploading(work.onPhase)) });
}

async function submitFiles(taskId: string, files: Files, work: Work): Promise<string> {
	const { attempt, onPhase } = work;
	const fetch = fetchWithProgress(uploading(onPhase));
	if (chooseWay(files.map(({ file }) => file.size)) === "request") {
		const headers = { "Idempotency-Key": attempt.key };
		return (await api.quickSubmit(taskId, { files: await encodeFiles(pairs(files)) }, { headers, fetch })).id;
	}
	const zip = await packOnce(files, work);
	attempt.submissionId ??= (await api.createSubmission(taskId)).id;
	if (attempt.isUploaded !== true) await api.uploadArtifact(attempt.submissionId, zip, { fetch });
	attempt.isUploaded = true;
	onPhase({ step: "starting", share: null });
	await api.completeSubmission(attempt.submissionId);
	return attempt.submissionId;
}

async function packOnce(files: Files, { attempt, onPhase }: Work): Promise<Blob> {
	const { packZip } = await import("../../platform/pack-zip.ts");
	attempt.zip ??= await packZip(files, (share) => onPhase({ step: "packing", share }));
	if (attempt.zip.size > MAX_ZIP_BYTES) throw new Error("The zip is larger than 100 MB. Leave out what the judge does not need.");
	return attempt.zip;
}

/** After everything is sent, the platform still has to process it. */
const uploading = (onPhase: OnPhase) => (share: number) =>
	onPhase(share < 1 ? { step: "uploading", share } : { step: "starting", share: null });
